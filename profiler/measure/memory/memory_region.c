// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/memory/memory_region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/topology/thread_mask.h"
#include "profiler/measure/kernels/kernels.h"
#include "profiler/measure/kernels/kernels_flush.h"

enum { MEMORY_REGION_PART = 16 << 20 }; // bytes between two looks at *stop

static size_t memory_region_end(size_t from, size_t bytes)
{
    return bytes - from < MEMORY_REGION_PART ? bytes : from + MEMORY_REGION_PART;
}

static int memory_region_touch(struct memory_region *region)
{
    const struct memory_bound *bound = &region->bound;
    for (size_t from = 0; from < bound->bytes; from = memory_region_end(from, bound->bytes)) {
        if (atomic_load(region->stop))
            return -EINTR;
        memory_bound_touch(bound, from, memory_region_end(from, bound->bytes));
    }
    return 0;
}

// The last allowed CPU of the memory's node: what is measured runs on the first.
static int memory_region_cpu(const struct memory_region *region)
{
    const struct topology_node *node = topology_node(region->t, cpulist_next(&region->nodes, 0));
    int last = -1;
    if (cpulist_count(&region->nodes) > 1)
        return last; // interleaved memory is on no one node
    for (int cpu = node ? cpulist_next(&node->cpus, 0) : -1; cpu >= 0; cpu = cpulist_next(&node->cpus, cpu + 1))
        last = cpulist_has(&region->t->allowed_cpus, cpu) ? cpu : last;
    return last;
}

// This thread prepares the memory, best from where it lies. Where mbind is forbidden, that alone brings it there.
static int memory_region_come(struct memory_region *region)
{
    int cpu = memory_region_cpu(region);
    if (cpu < 0)
        return -ENOENT;
    int status = thread_mask_get(0, &region->before);
    if (status == 0)
        status = thread_mask_bind(0, cpu);
    region->has_come = status == 0;
    return status;
}

static void memory_region_leave(struct memory_region *region)
{
    if (region->has_come)
        thread_mask_set(0, &region->before);
    region->has_come = false;
}

static int memory_region_fill_pages(struct memory_region *region, struct result *result)
{
    bool is_here = memory_region_come(region) == 0;
    if (region->bound.is_bound)
        return memory_region_touch(region);
    if (is_here) {
        result_note(result, "mbind is forbidden here (a container's filter?): memory is placed by first touch");
        return memory_region_touch(region);
    }
    result_note(result, "%s is left out: mbind is forbidden here, and no CPU can touch it first", region->name);
    return -EPERM;
}

// Interleaving gives every node its share; a tenth more or less is left to huge pages at the borders.
static bool memory_region_is_even(const struct memory_bound_report *report)
{
    return report->least >= report->most - report->most / 10;
}

static int memory_region_verify(struct memory_region *region, struct result *result)
{
    struct memory_bound_report report;
    int status = memory_bound_verify(&region->bound, &region->nodes, &report);
    if (status < 0 && !region->t->numa)
        return 0; // a kernel without NUMA has one place only
    if (status < 0 && region->bound.is_bound) {
        result_note(result, "where the memory lies was asked for, but is not verified: move_pages is forbidden here");
        return 0;
    }
    if (status == 0 && report.right == report.pages && memory_region_is_even(&report))
        return 0;
    if (status < 0)
        result_note(result, "%s is left out: neither mbind nor move_pages are allowed here", region->name);
    else
        result_note(result, "%s is left out: of %zu pages %zu lie there", region->name, report.pages, report.right);
    return -EXDEV;
}

int memory_region_open(struct memory_region *region, size_t bytes, bool huge, struct result *result)
{
    int status = memory_bound_map(&region->bound, bytes, &region->nodes, huge);
    if (status < 0) {
        result_note(result, "%s is left out: %zu MiB cannot be mapped: %s (see ulimit -v)", region->name, bytes >> 20,
                    strerror(-status));
        return status;
    }
    region->walk_bytes = huge ? bytes / 2 : bytes;
    status = memory_region_fill_pages(region, result);
    if (status == 0)
        status = memory_region_verify(region, result);
    if (status < 0)
        memory_region_close(region);
    else
        memory_bound_look(&region->bound);
    return status;
}

void memory_region_close(struct memory_region *region)
{
    memory_region_leave(region);
    memory_bound_unmap(&region->bound);
}

void memory_region_recheck(struct memory_region *region, struct result *result)
{
    struct memory_bound_report report;
    if (memory_bound_verify(&region->bound, &region->nodes, &report) == 0 && report.right != report.pages)
        result_note(result, "%s: %zu of %zu pages were moved away while they were measured", region->name,
                    report.pages - report.right, report.pages);
}

size_t memory_region_half(const struct memory_region *region)
{
    return region->bound.bytes / 2;
}

int memory_region_fill(struct memory_region *region)
{
    uint64_t *words = (uint64_t *)(void *)region->bound.base;
    size_t bytes = region->bound.bytes;
    for (size_t from = memory_region_half(region); from < bytes; from = memory_region_end(from, bytes)) {
        if (atomic_load(region->stop))
            return -EINTR;
        for (size_t i = from / 8; i < memory_region_end(from, bytes) / 8; i++)
            words[i] = i;
    }
    return 0;
}

int memory_region_walk(struct memory_region *region, enum kernels_walk_order order)
{
    size_t bytes = region->walk_bytes;
    struct kernels_walk_line *line = (struct kernels_walk_line *)(void *)region->bound.base;
    for (size_t from = 0; from < bytes; from = memory_region_end(from, bytes)) {
        if (atomic_load(region->stop))
            return -EINTR;
        kernels_walk_write(line, bytes / sizeof *line, order, from / sizeof *line,
                           memory_region_end(from, bytes) / sizeof *line);
    }
    return 0;
}

int memory_region_empty_caches(struct memory_region *region, struct result *result)
{
    bool can = true;
    size_t bytes = region->bound.bytes;
    for (size_t from = 0; can && from < bytes; from = memory_region_end(from, bytes)) {
        if (atomic_load(region->stop))
            return -EINTR;
        can = kernels_flush_lines(region->bound.base + from, memory_region_end(from, bytes) - from);
    }
    if (!can)
        result_note(result, "caches cannot be emptied on this architecture: other nodes' may answer for the memory");
    return 0;
}

void memory_region_push_out(const struct memory_bound *bound, size_t from, size_t until)
{
    kernels_best()->run[KERNELS_READ](&(struct kernels_block){.from = bound->base + from, .bytes = until - from});
}
