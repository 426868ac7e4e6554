// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/survey/survey_schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/system/clock.h"
#include "core/text/units.h"

// Seconds for each GiB, measured on an Emerald Rapids at 2.1 GHz: first touch with huge and with 4 KiB pages, a walk
// written and flushed, all else that is done once for a row or a pair.
#define SURVEY_SCHEDULE_GIB ((double)(1 << 30))
#define SURVEY_SCHEDULE_TOUCH_HUGE 0.55
#define SURVEY_SCHEDULE_TOUCH_SMALL 1.1
#define SURVEY_SCHEDULE_WALK 1.1
#define SURVEY_SCHEDULE_FILL 0.1
enum { SURVEY_SCHEDULE_FIRST_RUNS = 3, SURVEY_SCHEDULE_FIRST_RUN_SHARE = 4 }; // each over a quarter of a region

double survey_schedule_touch_s(size_t bytes, bool huge)
{
    return (double)bytes / SURVEY_SCHEDULE_GIB * (huge ? SURVEY_SCHEDULE_TOUCH_HUGE : SURVEY_SCHEDULE_TOUCH_SMALL);
}

double survey_schedule_walk_s(size_t bytes)
{
    return (double)bytes / SURVEY_SCHEDULE_GIB * SURVEY_SCHEDULE_WALK;
}

// --- which nodes

static bool survey_schedule_has_cpu(const struct topology *t, const struct topology_node *node)
{
    for (int cpu = cpulist_next(&node->cpus, 0); cpu >= 0; cpu = cpulist_next(&node->cpus, cpu + 1))
        if (cpulist_has(&t->allowed_cpus, cpu))
            return true;
    return false;
}

static bool survey_schedule_takes_from(const struct topology *t, const struct survey_options *o,
                                       const struct topology_node *node)
{
    return survey_schedule_has_cpu(t, node) && (!o->has_from || cpulist_has(&o->from, node->id));
}

static bool survey_schedule_takes_to(const struct survey_options *o, const struct topology_node *node)
{
    return node->mem_bytes != 0 && node->allowed && (!o->has_to || cpulist_has(&o->to, node->id));
}

// Their words after "node 2" and after "nodes 2-5".
static void survey_schedule_note_set(struct result *result, const struct cpulist *set, const char *one,
                                     const char *several)
{
    char list[CPULIST_SHORT_BYTES];
    if (cpulist_count(set) > 0)
        result_note(result, "node%s %s%s", cpulist_count(set) == 1 ? "" : "s", cpulist_shorten(list, sizeof list, set),
                    cpulist_count(set) == 1 ? one : several);
}

static void survey_schedule_note_nodes(struct result *result, const struct topology *t)
{
    struct cpulist nothing = {0}, no_cpus = {0}, offline = {0}, no_memory = {0}, forbidden_cpus = {0},
                   forbidden_memory = {0};
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        bool has_cpus = cpulist_count(&node->cpus) > 0, has_memory = node->mem_bytes != 0;
        if (!has_memory)
            cpulist_add(has_cpus ? &no_memory : &nothing, node->id);
        else if (!has_cpus) // topology.h: DRAM is of a node with CPUs, online or not
            cpulist_add(node->memory == TOPOLOGY_MEMORY_DRAM ? &offline : &no_cpus, node->id);
        if (has_cpus && !survey_schedule_has_cpu(t, node))
            cpulist_add(&forbidden_cpus, node->id);
        if (has_memory && !node->allowed)
            cpulist_add(&forbidden_memory, node->id);
    }
    survey_schedule_note_set(result, &nothing, " has neither CPUs nor memory", " have neither CPUs nor memory");
    survey_schedule_note_set(result, &no_cpus, " has no CPUs: its memory is measured from the other nodes",
                             " have no CPUs: their memory is measured from the other nodes");
    survey_schedule_note_set(result, &offline,
                             ": its CPUs are all offline or another node's, so its memory is measured from the other "
                             "nodes",
                             ": their CPUs are all offline or another node's, so their memory is measured from the "
                             "other nodes");
    survey_schedule_note_set(result, &no_memory, " has no memory", " have no memory");
    survey_schedule_note_set(result, &forbidden_cpus, ": none of its CPUs is allowed here (cpuset or taskset)",
                             ": none of their CPUs is allowed here (cpuset or taskset)");
    survey_schedule_note_set(result, &forbidden_memory, ": its memory is not allowed here (cpuset)",
                             ": their memory is not allowed here (cpuset)");
}

static int survey_schedule_nodes(struct result *result, const struct topology *t, const struct survey_options *o)
{
    int *from = calloc(t->node_count + 1, sizeof *from), *to = calloc(t->node_count + 1, sizeof *to);
    size_t from_count = 0, to_count = 0;
    int status = -ENOMEM;
    if (!from || !to)
        goto done;
    for (size_t i = 0; i < t->node_count; i++) {
        if (survey_schedule_takes_from(t, o, &t->nodes[i]))
            from[from_count++] = t->nodes[i].id;
        if (survey_schedule_takes_to(o, &t->nodes[i]))
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

static void survey_schedule_head(struct result *result, const struct topology *t, const struct survey_options *o)
{
    clock_utc(result->at, sizeof result->at);
    snprintf(result->kernels, sizeof result->kernels, "%s", kernels_best()->name);
    snprintf(result->emulated, sizeof result->emulated, "%s", o->emulated ? o->emulated : "");
    result->llc_bytes = memory_extent_cache(t);
    survey_schedule_note_nodes(result, t);
    if (result->llc_bytes < 0)
        result_note(result, "the size of the caches is not known: 64 MiB are assumed");
}

// --- one row

static void survey_schedule_name(struct survey_schedule_row *row, const struct result *result, size_t to)
{
    if (result->to[to] == RESULT_INTERLEAVED) {
        for (size_t i = 0; i < to; i++)
            cpulist_add(&row->nodes, result->to[i]);
        snprintf(row->name, sizeof row->name, "interleaved memory");
    } else {
        cpulist_add(&row->nodes, result->to[to]);
        snprintf(row->name, sizeof row->name, "memory of node %d", result->to[to]);
    }
}

static void survey_schedule_extent(struct survey_schedule_row *row, struct result *result, const struct topology *t,
                                   const char *root, const struct survey_options *o)
{
    struct memory_extent *extent = &row->extent;
    int64_t spare = memory_extent_spare(t, root, &row->nodes);
    char wanted[UNITS_BYTES_TEXT], spared[UNITS_BYTES_TEXT], used[UNITS_BYTES_TEXT];
    row->is_left_out = memory_extent_choose(extent, t, spare, o->bytes, o->emulated != NULL) < 0;
    units_bytes(wanted, extent->wanted + extent->wanted / 2);
    units_bytes(spared, extent->spare);
    units_bytes(used, (int64_t)(extent->bytes + extent->bytes / 2));
    if (row->is_left_out)
        result_note(result, "%s is left out: %s of free memory can be spared, %s are needed to get past the caches",
                    row->name, spared, wanted);
    else if (extent->is_short)
        result_note(result, "%s: measured in %s instead of %s, half of what is free", row->name, used, wanted);
    if (!row->is_left_out && (result->buffer_bytes < 0 || (int64_t)extent->bytes < result->buffer_bytes))
        result->buffer_bytes = (int64_t)extent->bytes;
}

static size_t survey_schedule_wanted(const struct survey_options *o, enum result_metric_id first,
                                     enum result_metric_id last)
{
    size_t wanted = 0;
    for (int id = (int)first; id <= (int)last; id++)
        wanted += !o->skip[id];
    return wanted;
}

// What is done before the slices, and between them.
static double survey_schedule_prepare_s(const struct survey_options *o, size_t bytes, size_t from_count)
{
    size_t half = bytes / 2, run = bytes / SURVEY_SCHEDULE_FIRST_RUN_SHARE;
    bool small_random = !o->skip[RESULT_METRIC_LATENCY_RANDOM_4K] || !o->skip[RESULT_METRIC_LATENCY_RANDOM_PAUSES];
    bool small_window = !o->skip[RESULT_METRIC_LATENCY_WINDOW_4K] || !o->skip[RESULT_METRIC_LATENCY_WINDOW_PAUSES];
    bool huge_random = !o->skip[RESULT_METRIC_LATENCY_RANDOM] || !o->skip[RESULT_METRIC_LATENCY_LOADED];
    int walks = huge_random + !o->skip[RESULT_METRIC_LATENCY_WINDOW] + small_random + small_window;
    double seconds = survey_schedule_touch_s(bytes, true) + walks * survey_schedule_walk_s(half);
    seconds += (double)(1 + from_count) * SURVEY_SCHEDULE_FILL * (double)bytes / SURVEY_SCHEDULE_GIB;
    if (small_random || small_window)
        seconds += survey_schedule_touch_s(half, false);
    if (survey_schedule_wanted(o, RESULT_METRIC_FIRST_RUN, RESULT_METRIC_LATER_RUN) > 0)
        seconds += (double)from_count * SURVEY_SCHEDULE_FIRST_RUNS * survey_schedule_touch_s(run, false);
    return seconds;
}

static void survey_schedule_add(struct survey_schedule *schedule, struct survey_schedule_row *row,
                                const struct survey_options *o, size_t from_count)
{
    double prepare = survey_schedule_prepare_s(o, row->extent.bytes, from_count);
    double slices =
        (double)(survey_schedule_wanted(o, 0, RESULT_METRIC_STRIDE_WRITE) * from_count) * SURVEY_SCHEDULE_SLICE_S;
    if (row->is_left_out)
        return;
    row->seconds = prepare + SURVEY_SCHEDULE_REPEATS * slices;
    schedule->seconds += row->seconds;
    schedule->most_seconds += prepare + RESULT_REPEATS * slices;
}

int survey_schedule_make(struct survey_schedule *schedule, struct result *result, const struct topology *t,
                         const char *root, const struct survey_options *options)
{
    *schedule = (struct survey_schedule){0};
    int status = survey_schedule_nodes(result, t, options);
    if (status < 0)
        return status;
    schedule->count = result->from_count > 0 ? result->to_count : 0;
    schedule->rows = calloc(schedule->count + 1, sizeof *schedule->rows);
    if (!schedule->rows) {
        result_free(result);
        return -ENOMEM;
    }
    survey_schedule_head(result, t, options);
    for (size_t to = 0; to < schedule->count; to++) {
        survey_schedule_name(&schedule->rows[to], result, to);
        survey_schedule_extent(&schedule->rows[to], result, t, root, options);
        survey_schedule_add(schedule, &schedule->rows[to], options, result->from_count);
    }
    return 0;
}

void survey_schedule_free(struct survey_schedule *schedule)
{
    free(schedule->rows);
    *schedule = (struct survey_schedule){0};
}
