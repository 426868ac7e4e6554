// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/region.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/measure/flush.h"
#include "profiler/measure/kernels.h"

enum { REGION_PART = 16 << 20 }; // bytes between two looks at *stop

static size_t region_end(size_t from, size_t bytes)
{
    return bytes - from < REGION_PART ? bytes : from + REGION_PART;
}

static int region_touch(struct region *region)
{
    const struct place *place = &region->place;
    for (size_t from = 0; from < place->bytes; from = region_end(from, place->bytes)) {
        if (atomic_load(region->stop))
            return -EINTR;
        place_touch(place, from, region_end(from, place->bytes));
    }
    return 0;
}

// The last allowed CPU of the memory's node: what is measured runs on the first.
static int region_cpu(const struct region *region)
{
    const struct topology_node *node = topology_node(region->t, cpulist_next(&region->nodes, 0));
    int last = -1;
    if (cpulist_count(&region->nodes) > 1)
        return last; // of interleaved memory no node is the home
    for (int cpu = node ? cpulist_next(&node->cpus, 0) : -1; cpu >= 0; cpu = cpulist_next(&node->cpus, cpu + 1))
        last = cpulist_has(&region->t->allowed_cpus, cpu) ? cpu : last;
    return last;
}

// This thread prepares the memory, best from where it lies. Where mbind is forbidden, that alone brings it there.
static int region_come(struct region *region)
{
    int cpu = region_cpu(region);
    if (cpu < 0)
        return -ENOENT;
    if (sched_getaffinity(0, sizeof region->before.bits, (cpu_set_t *)(void *)region->before.bits) < 0)
        return -errno;
    struct cpulist there = {0};
    cpulist_add(&there, cpu);
    if (sched_setaffinity(0, sizeof there.bits, (const cpu_set_t *)(const void *)there.bits) < 0)
        return -errno;
    region->has_come = true;
    return 0;
}

static void region_leave(struct region *region)
{
    if (region->has_come)
        sched_setaffinity(0, sizeof region->before.bits, (const cpu_set_t *)(const void *)region->before.bits);
    region->has_come = false;
}

static int region_fill_pages(struct region *region, struct result *result)
{
    bool is_here = region_come(region) == 0;
    if (region->place.is_bound)
        return region_touch(region);
    if (is_here) {
        result_note(result, "mbind is forbidden here (a container's filter?): memory is placed by first touch");
        return region_touch(region);
    }
    result_note(result, "%s is left out: mbind is forbidden here, and no CPU can touch it first", region->name);
    return -EPERM;
}

// Interleaving gives every node its share; a tenth more or less is left to huge pages at the borders.
static bool region_is_even(const struct place_report *report)
{
    return report->least >= report->most - report->most / 10;
}

static int region_verify(struct region *region, struct result *result)
{
    struct place_report report;
    int status = place_verify(&region->place, &region->nodes, &report);
    if (status < 0 && !region->t->numa)
        return 0; // a kernel without NUMA has one place only
    if (status < 0 && region->place.is_bound) {
        result_note(result, "where the memory lies was asked for, but is not verified: move_pages is forbidden here");
        return 0;
    }
    if (status == 0 && report.right == report.pages && region_is_even(&report))
        return 0;
    if (status < 0)
        result_note(result, "%s is left out: neither mbind nor move_pages are allowed here", region->name);
    else
        result_note(result, "%s is left out: of %zu pages %zu lie there", region->name, report.pages, report.right);
    return -EXDEV;
}

int region_open(struct region *region, size_t bytes, bool huge, struct result *result)
{
    int status = place_map(&region->place, bytes, &region->nodes, huge);
    if (status < 0) {
        result_note(result, "%s is left out: %zu MiB cannot be mapped: %s (see ulimit -v)", region->name, bytes >> 20,
                    strerror(-status));
        return status;
    }
    region->walk_bytes = huge ? bytes / 2 : bytes;
    status = region_fill_pages(region, result);
    if (status == 0)
        status = region_verify(region, result);
    if (status < 0)
        region_close(region);
    else
        place_look(&region->place);
    return status;
}

void region_close(struct region *region)
{
    region_leave(region);
    place_unmap(&region->place);
}

void region_recheck(struct region *region, struct result *result)
{
    struct place_report report;
    if (place_verify(&region->place, &region->nodes, &report) == 0 && report.right != report.pages)
        result_note(result, "%s: %zu of %zu pages were moved away while they were measured", region->name,
                    report.pages - report.right, report.pages);
}

size_t region_half(const struct region *region)
{
    return region->place.bytes / 2;
}

int region_fill(struct region *region)
{
    uint64_t *words = (uint64_t *)(void *)region->place.base;
    size_t bytes = region->place.bytes;
    for (size_t from = region_half(region); from < bytes; from = region_end(from, bytes)) {
        if (atomic_load(region->stop))
            return -EINTR;
        for (size_t i = from / 8; i < region_end(from, bytes) / 8; i++)
            words[i] = i;
    }
    return 0;
}

int region_walk(struct region *region, enum walk_order order)
{
    size_t bytes = region->walk_bytes;
    struct walk_line *line = (struct walk_line *)(void *)region->place.base;
    for (size_t from = 0; from < bytes; from = region_end(from, bytes)) {
        if (atomic_load(region->stop))
            return -EINTR;
        walk_write(line, bytes / sizeof *line, order, from / sizeof *line, region_end(from, bytes) / sizeof *line);
    }
    return 0;
}

int region_empty_caches(struct region *region, struct result *result)
{
    bool can = true;
    size_t bytes = region->place.bytes;
    for (size_t from = 0; can && from < bytes; from = region_end(from, bytes)) {
        if (atomic_load(region->stop))
            return -EINTR;
        can = flush_lines(region->place.base + from, region_end(from, bytes) - from);
    }
    if (!can)
        result_note(result, "caches cannot be emptied on this architecture: other nodes' may answer for the memory");
    return 0;
}

void region_push_out(const struct place *place, size_t from, size_t until)
{
    kernels_best()->run[KERNELS_READ](&(struct kernels_block){.from = place->base + from, .bytes = until - from});
}
