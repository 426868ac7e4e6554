// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/units.h"
#include "profiler/measure/extent.h"
#include "profiler/measure/region.h"
#include "profiler/measure/slices.h"

// --- which nodes

static bool survey_has_cpu(const struct topology *t, const struct topology_node *node)
{
    for (int cpu = cpulist_next(&node->cpus, 0); cpu >= 0; cpu = cpulist_next(&node->cpus, cpu + 1))
        if (cpulist_has(&t->allowed_cpus, cpu))
            return true;
    return false;
}

static bool survey_takes_from(const struct topology *t, const struct survey_options *o,
                              const struct topology_node *node)
{
    return survey_has_cpu(t, node) && (!o->has_from || cpulist_has(&o->from, node->id));
}

static bool survey_takes_to(const struct survey_options *o, const struct topology_node *node)
{
    return node->mem_bytes != 0 && node->allowed && (!o->has_to || cpulist_has(&o->to, node->id));
}

static void survey_note_nodes(struct result *result, const struct topology *t)
{
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        if (cpulist_count(&node->cpus) == 0)
            result_note(result, "node %d has no CPUs: its memory is measured from the other nodes", node->id);
        else if (!survey_has_cpu(t, node))
            result_note(result, "node %d: none of its CPUs is allowed here (cpuset or taskset)", node->id);
        if (node->mem_bytes == 0)
            result_note(result, "node %d has no memory", node->id);
        else if (!node->allowed)
            result_note(result, "node %d: its memory is not allowed here (cpuset)", node->id);
    }
}

static int survey_begin(struct result *result, const struct topology *t, const struct survey_options *o)
{
    int *from = calloc(t->node_count + 1, sizeof *from), *to = calloc(t->node_count + 1, sizeof *to);
    size_t from_count = 0, to_count = 0;
    int status = -ENOMEM;
    if (!from || !to)
        goto done;
    for (size_t i = 0; i < t->node_count; i++) {
        if (survey_takes_from(t, o, &t->nodes[i]))
            from[from_count++] = t->nodes[i].id;
        if (survey_takes_to(o, &t->nodes[i]))
            to[to_count++] = t->nodes[i].id;
    }
    if (to_count > 1)
        to[to_count++] = RESULT_INTERLEAVED;
    status = result_make(result, from, from_count, to, to_count);
done:
    free(from);
    free(to);
    return status;
}

static void survey_head(struct result *result, const struct topology *t, const struct survey_options *o)
{
    time_t now = time(NULL);
    struct tm utc;
    strftime(result->at, sizeof result->at, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    snprintf(result->kernels, sizeof result->kernels, "%s", kernels_best()->name);
    snprintf(result->emulated, sizeof result->emulated, "%s", o->emulated ? o->emulated : "");
    result->llc_bytes = extent_cache(t);
    survey_note_nodes(result, t);
    if (result->llc_bytes < 0)
        result_note(result, "the size of the caches is not known: 64 MiB are assumed");
}

// --- one row

static int survey_extent(struct result *result, const struct region *region, const struct survey_options *o,
                         struct extent *extent)
{
    int64_t spare = extent_spare(region->t, "", &region->nodes);
    int status = extent_choose(extent, region->t, spare, o->bytes, o->emulated != NULL);
    char wanted[UNITS_BYTES_TEXT], spared[UNITS_BYTES_TEXT], used[UNITS_BYTES_TEXT];
    units_bytes(wanted, extent->wanted + extent->wanted / 2);
    units_bytes(spared, extent->spare);
    units_bytes(used, (int64_t)(extent->bytes + extent->bytes / 2));
    if (status < 0)
        result_note(result, "%s is left out: %s of free memory can be spared, %s are needed to get past the caches",
                    region->name, spared, wanted);
    else if (extent->is_short)
        result_note(result, "%s: measured in %s instead of %s, half of what is free", region->name, used, wanted);
    if (status == 0 && (result->buffer_bytes < 0 || (int64_t)extent->bytes < result->buffer_bytes))
        result->buffer_bytes = (int64_t)extent->bytes;
    return status;
}

static void survey_row(struct slices *slices, struct region *region, const struct extent *extent)
{
    struct result *result = slices->result;
    if (region_open(region, extent->bytes, true, result) < 0)
        return;
    bool is_huge = region->place.huge_bytes >= region->place.bytes / 10 * 9;
    result->has_huge_pages |= is_huge;
    if (!is_huge)
        result_note(result, "%s: the kernel gave no huge pages; only 4 KiB pages are measured "
                    "(see /sys/kernel/mm/transparent_hugepage/enabled)", region->name);
    if (slices_measure(slices, region, is_huge) == -ENOMEM)
        result_note(result, "%s is left out: out of memory", region->name);
    region_recheck(region, result);
    region_close(region);
}

static void survey_name(char *out, size_t size, struct region *region, const struct result *result, size_t to)
{
    if (result->to[to] == RESULT_INTERLEAVED) {
        for (size_t i = 0; i < to; i++)
            cpulist_add(&region->nodes, result->to[i]);
        snprintf(out, size, "interleaved memory");
    } else {
        cpulist_add(&region->nodes, result->to[to]);
        snprintf(out, size, "memory of node %d", result->to[to]);
    }
    region->name = out;
}

int survey_run(struct result *result, const struct topology *t, const struct survey_options *options,
               const atomic_bool *stop)
{
    int status = survey_begin(result, t, options);
    if (status < 0)
        return status;
    survey_head(result, t, options);
    struct slices slices = {.result = result, .t = t, .options = options, .stop = stop};
    for (size_t to = 0; to < result->to_count && result->from_count > 0 && !atomic_load(stop); to++) {
        char name[RESULT_TEXT];
        struct region region = {.t = t, .stop = stop};
        struct extent extent;
        survey_name(name, sizeof name, &region, result, to);
        slices.to = to;
        if (survey_extent(result, &region, options, &extent) == 0)
            survey_row(&slices, &region, &extent); // what goes wrong there is noted, and costs this row only
    }
    result->is_interrupted = atomic_load(stop);
    return 0;
}
