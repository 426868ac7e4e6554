// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/survey/survey_slices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/measure/survey/survey_schedule.h"
#include "profiler/measure/survey/survey_team.h"

enum {
    SURVEY_SLICES_ENOUGH = 3, // values; also of first runs, each of which maps new memory
    SURVEY_SLICES_NS = 30000000, // of one
    SURVEY_SLICES_EMULATED_NS = 5000000,
};

// What one metric runs: its jobs stand in the crew's arrays.
struct survey_slices_crew {
    size_t from;                // column of the result
    int cpus[CPULIST_MAX];      // one of each core
    size_t count;
    struct survey_team_job one, *all;  // all: one for each core
};

// The allowed CPUs of a node, one of each core. Returns how many.
static size_t survey_slices_cores(const struct topology *t, int node, int *cpus, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < t->cpu_count && count < max; i++) {
        const struct topology_cpu *cpu = &t->cpus[i];
        bool is_new = cpu->online && cpu->allowed && cpu->node == node;
        for (size_t k = 0; is_new && k < count && cpu->core != TOPOLOGY_UNKNOWN; k++)
            is_new = topology_cpu(t, cpus[k])->core != cpu->core;
        if (is_new)
            cpus[count++] = cpu->id;
    }
    return count;
}

// --- jobs

static struct survey_team_job survey_slices_share(const struct memory_region *region, int cpu, size_t part,
                                                  size_t parts)
{
    size_t half = memory_region_half(region), share = half / parts / KERNELS_STEP * KERNELS_STEP;
    return (struct survey_team_job){.cpu = cpu,
                                    .work = SURVEY_TEAM_LOOP,
                                    .to = region->bound.base + part * share,
                                    .from = region->bound.base + half + part * share,
                                    .first_word = (half + part * share) / 8,
                                    .bytes = share};
}

static int survey_slices_hire(struct survey_slices_crew *crew, const struct survey_slices *slices,
                              const struct memory_region *region, size_t from)
{
    *crew = (struct survey_slices_crew){.from = from};
    crew->count = survey_slices_cores(slices->t, slices->result->from[from], crew->cpus, CPULIST_MAX);
    crew->all = calloc(crew->count + 1, sizeof *crew->all);
    if (!crew->all)
        return -ENOMEM;
    crew->one = survey_slices_share(region, crew->cpus[0], 0, 1);
    for (size_t i = 0; i < crew->count; i++)
        crew->all[i] = survey_slices_share(region, crew->cpus[i], i, crew->count);
    return 0;
}

static void survey_slices_set(struct survey_team_job *job, enum kernels_op op, uint64_t value)
{
    job->op = op;
    job->loop = kernels_best()->run[op];
    job->value = value;
    job->bytes_done = job->steps_done = job->kept_ns = job->lost_ns = 0;
    job->all_lines = 0;
}

// --- one slice

void survey_slices_step(struct survey_slices *slices, const char *what, double seconds)
{
    const struct survey_options *o = slices->options;
    if (o->progress)
        o->progress(o->progress_to, what, slices->done_s, slices->plan_s);
    slices->done_s += seconds;
}

static double survey_slices_value(const struct result_metric *metric, const struct survey_team_job *jobs, size_t count)
{
    double rate = 0;
    if (metric->group == RESULT_METRIC_LATENCY)
        return jobs[0].steps_done > 0 ? jobs[0].kept_ns / jobs[0].steps_done - jobs[0].pause_ns : 0;
    if (metric->group == RESULT_METRIC_LINES)
        return jobs[0].bytes_done > 0 ? jobs[0].kept_ns / (jobs[0].bytes_done / KERNELS_LINE) : 0;
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].kept_ns <= 0)
            return 0; // a sum without one of them would be too small
        rate += jobs[i].bytes_done / jobs[i].kept_ns * 1e9;
    }
    bool is_copy = metric->op == KERNELS_COPY || metric->op == KERNELS_COPY_NT;
    return is_copy ? 2 * rate : rate;
}

static bool survey_slices_are_sound(struct survey_slices *slices, const struct result_metric *metric,
                                    const struct survey_team_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].error < 0)
            result_note(slices->result, "CPU %d cannot be used: %s", jobs[i].cpu, strerror(-jobs[i].error));
        else if (jobs[i].is_wrong)
            result_note(slices->result, "%s on CPU %d gave a wrong result: not measured", metric->name, jobs[i].cpu);
        if (jobs[i].error < 0 || jobs[i].is_wrong)
            return false;
    }
    return true;
}

static void survey_slices_keep(struct survey_slices *slices, enum result_metric_id id, size_t from,
                               const struct survey_team_job *jobs, size_t count)
{
    const struct result_metric *metric = result_metric_get(id);
    struct result_cell *cell = result_cell(slices->result, id, slices->to, from);
    double value = survey_slices_are_sound(slices, metric, jobs, count) ? survey_slices_value(metric, jobs, count) : 0;
    for (size_t i = 0; i < count; i++) {
        cell->lost_ns += jobs[i].lost_ns;
        cell->kept_ns += jobs[i].kept_ns;
        cell->lines += jobs[i].all_lines;
    }
    if (value > 0 && cell->count < RESULT_REPEATS)
        cell->values[cell->count++] = value;
}

static int survey_slices_run(struct survey_slices *slices, enum result_metric_id id, size_t from,
                             struct survey_team_job *jobs, size_t count)
{
    survey_slices_step(slices, result_metric_get(id)->name, SURVEY_SCHEDULE_SLICE_S);
    int status = survey_team_run(jobs, count, slices->options->emulated ? SURVEY_SLICES_EMULATED_NS : SURVEY_SLICES_NS,
                                 slices->stop);
    if (status == 0)
        survey_slices_keep(slices, id, from, jobs, count);
    else if (status != -EINTR)
        result_note(slices->result, "%s is left out: %zu thread%s cannot be started: %s (see ulimit -u)",
                    result_metric_get(id)->name, count, count == 1 ? "" : "s", strerror(-status));
    return status == -EINTR ? status : 0;
}

static bool survey_slices_wants_more(const struct survey_slices *slices, enum result_metric_id id, size_t from,
                                     int round)
{
    const struct result_cell *cell = result_cell(slices->result, id, slices->to, from);
    return !slices->options->skip[id] &&
           (round < SURVEY_SCHEDULE_REPEATS || cell->count < SURVEY_SLICES_ENOUGH || result_is_noisy(cell));
}

// --- walks

static int survey_slices_walk_one(struct survey_slices *slices, struct survey_slices_crew *crew,
                                  enum result_metric_id id, const struct memory_region *on,
                                  const struct kernels_walk_line **line)
{
    bool is_loaded = id == RESULT_METRIC_LATENCY_LOADED;
    for (size_t i = 0; i < crew->count; i++)
        survey_slices_set(&crew->all[i], KERNELS_READ, 0);
    struct survey_team_job *walker = &crew->all[0], before = *walker;
    walker->work = SURVEY_TEAM_WALK;
    walker->pauses = result_metric_get(id)->pauses;
    walker->line = *line;
    walker->lines = on->walk_bytes / sizeof **line;
    int status = survey_slices_run(slices, id, crew->from, crew->all, is_loaded ? crew->count : 1);
    *line = walker->line;
    *walker = before;
    return status;
}

static int survey_slices_walk_from(struct survey_slices *slices, const struct memory_region *region,
                                   const struct memory_region *on, const struct kernels_walk_line **line,
                                   const enum result_metric_id ids[2], size_t from)
{
    struct survey_slices_crew crew;
    int status = survey_slices_hire(&crew, slices, region, from);
    for (int round = 0; status == 0 && round < RESULT_REPEATS; round++)
        for (int i = 0; status == 0 && i < 2 && ids[i] != RESULT_METRICS; i++) {
            if (!survey_slices_wants_more(slices, ids[i], from, round))
                continue;
            if (ids[i] == RESULT_METRIC_LATENCY_LOADED && crew.count == 1)
                result_note(slices->result, "node %d has one usable core: no latency under load",
                            slices->result->from[from]);
            else
                status = survey_slices_walk_one(slices, &crew, ids[i], on, line);
        }
    free(crew.all);
    return status;
}

// ids: what is measured on this walk, ended by RESULT_METRICS. on holds the walk in its first half; region's second
// half is what evicts it from the caches and what the others read.
static int survey_slices_walk(struct survey_slices *slices, struct memory_region *region, struct memory_region *on,
                              const enum result_metric_id ids[2])
{
    bool is_wanted = !slices->options->skip[ids[0]] || (ids[1] != RESULT_METRICS && !slices->options->skip[ids[1]]);
    if (!is_wanted)
        return 0;
    survey_slices_step(slices, on->name, survey_schedule_walk_s(on->walk_bytes));
    int status = memory_region_walk(on, result_metric_get(ids[0])->order);
    memory_region_push_out(&region->bound, memory_region_half(region), region->bound.bytes);
    if (status == 0)
        status = memory_region_empty_caches(on, slices->result);
    const struct kernels_walk_line *line = (const struct kernels_walk_line *)(void *)on->bound.base;
    for (size_t from = 0; status == 0 && from < slices->result->from_count; from++)
        status = survey_slices_walk_from(slices, region, on, &line, ids, from);
    return status;
}

static int survey_slices_walks_small(struct survey_slices *slices, struct memory_region *region,
                                     struct memory_region *on)
{
    static const enum result_metric_id random[] = {RESULT_METRIC_LATENCY_RANDOM_4K,
                                                   RESULT_METRIC_LATENCY_RANDOM_PAUSES};
    static const enum result_metric_id window[] = {RESULT_METRIC_LATENCY_WINDOW_4K,
                                                   RESULT_METRIC_LATENCY_WINDOW_PAUSES};
    int status = survey_slices_walk(slices, region, on, random);
    return status < 0 ? status : survey_slices_walk(slices, region, on, window);
}

static int survey_slices_walks_huge(struct survey_slices *slices, struct memory_region *region)
{
    static const enum result_metric_id random[] = {RESULT_METRIC_LATENCY_RANDOM, RESULT_METRIC_LATENCY_LOADED};
    static const enum result_metric_id window[] = {RESULT_METRIC_LATENCY_WINDOW, RESULT_METRICS};
    int status = survey_slices_walk(slices, region, region, random);
    return status < 0 ? status : survey_slices_walk(slices, region, region, window);
}

static int survey_slices_walks(struct survey_slices *slices, struct memory_region *region, bool is_huge)
{
    const bool *skip = slices->options->skip;
    if (!is_huge) {
        static const enum result_metric_id loaded[] = {RESULT_METRIC_LATENCY_LOADED, RESULT_METRICS};
        int status = survey_slices_walks_small(slices, region, region);
        return status < 0 ? status : survey_slices_walk(slices, region, region, loaded);
    }
    int status = survey_slices_walks_huge(slices, region);
    if (status < 0 || (skip[RESULT_METRIC_LATENCY_RANDOM_4K] && skip[RESULT_METRIC_LATENCY_WINDOW_4K] &&
                       skip[RESULT_METRIC_LATENCY_RANDOM_PAUSES] && skip[RESULT_METRIC_LATENCY_WINDOW_PAUSES]))
        return status;
    struct memory_region small = {.t = region->t, .nodes = region->nodes, .name = region->name, .stop = region->stop};
    survey_slices_step(slices, small.name, survey_schedule_touch_s(memory_region_half(region), false));
    if (memory_region_open(&small, memory_region_half(region), false, slices->result) < 0)
        return atomic_load(region->stop) ? -EINTR : 0; // noted; the rest can still be measured
    status = survey_slices_walks_small(slices, region, &small);
    memory_region_close(&small);
    return status;
}

// --- loops

static int survey_slices_loop(struct survey_slices *slices, struct survey_slices_crew *crew, enum result_metric_id id,
                              int round)
{
    const struct result_metric *metric = result_metric_get(id);
    bool is_all = metric->group == RESULT_METRIC_ALL_CORES;
    struct survey_team_job *jobs = is_all ? crew->all : &crew->one;
    size_t count = is_all ? crew->count : 1;
    for (size_t i = 0; i < count; i++)
        survey_slices_set(&jobs[i], metric->op, (uint64_t)round * RESULT_METRICS + id + 1);
    return survey_slices_run(slices, id, crew->from, jobs, count);
}

static int survey_slices_loops(struct survey_slices *slices, struct memory_region *region, size_t from)
{
    struct survey_slices_crew crew;
    memory_region_push_out(&region->bound, 0, memory_region_half(region));
    int status = memory_region_empty_caches(region, slices->result); // also of what another node's CPUs have just read
    if (status < 0)
        return status;
    status = survey_slices_hire(&crew, slices, region, from);
    for (int round = 0; status == 0 && round < RESULT_REPEATS; round++)
        for (int id = RESULT_METRIC_READ; status == 0 && id <= RESULT_METRIC_STRIDE_WRITE; id++)
            if (survey_slices_wants_more(slices, (enum result_metric_id)id, from, round))
                status = survey_slices_loop(slices, &crew, (enum result_metric_id)id, round);
    free(crew.all);
    return status;
}

// --- first and later runs over new memory

static int survey_slices_once(struct survey_slices *slices, const struct memory_region *region, size_t from)
{
    struct memory_bound bound;
    struct memory_bound_report report;
    int cpu, status = 0;
    if (survey_slices_cores(slices->t, slices->result->from[from], &cpu, 1) == 0 ||
        (status = memory_bound_map(&bound, memory_region_half(region) / 2, &region->nodes, false)) < 0)
        return status;
    struct survey_team_job job = {.cpu = cpu, .work = SURVEY_TEAM_ONCE, .to = bound.base, .bytes = bound.bytes};
    struct survey_team_job later = job;
    survey_slices_set(&job, KERNELS_STRIDE_WRITE, 1);
    survey_slices_set(&later, KERNELS_STRIDE_WRITE, 2);
    bool is_there = bound.is_bound;
    survey_slices_step(slices, result_metric_get(RESULT_METRIC_FIRST_RUN)->name,
                       survey_schedule_touch_s(bound.bytes, false));
    status = survey_team_run(&job, 1, SURVEY_SLICES_NS, slices->stop);
    if (status == 0 && memory_bound_verify(&bound, &region->nodes, &report) == 0)
        is_there = report.right == report.pages;
    if (status == 0 && is_there) {
        survey_slices_keep(slices, RESULT_METRIC_FIRST_RUN, from, &job, 1);
        status = survey_slices_run(slices, RESULT_METRIC_LATER_RUN, from, &later, 1);
    } else if (status == 0) {
        result_note(slices->result, "%s: first runs are left out, the pages went elsewhere", region->name);
    }
    memory_bound_unmap(&bound);
    return status;
}

static int survey_slices_first_runs(struct survey_slices *slices, const struct memory_region *region, size_t from)
{
    int status = 0;
    for (int i = 0; status == 0 && i < RESULT_REPEATS; i++)
        if ((!slices->options->skip[RESULT_METRIC_FIRST_RUN] || !slices->options->skip[RESULT_METRIC_LATER_RUN]) &&
            result_cell(slices->result, RESULT_METRIC_FIRST_RUN, slices->to, from)->count < SURVEY_SLICES_ENOUGH)
            status = survey_slices_once(slices, region, from);
    return status;
}

// Where others had the CPUs all the time there is no number.
static void survey_slices_note_missing(struct survey_slices *slices, const struct memory_region *region, size_t from)
{
    for (int id = 0; id < RESULT_METRICS; id++) {
        const struct result_cell *cell = result_cell(slices->result, (enum result_metric_id)id, slices->to, from);
        if (cell->count == 0 && cell->lost_ns > 0)
            result_note(slices->result, "%s from node %d to %s is left out: others had its CPUs all the time",
                        result_metric_get((enum result_metric_id)id)->name, slices->result->from[from], region->name);
    }
}

int survey_slices_measure(struct survey_slices *slices, struct memory_region *region, bool is_huge)
{
    int status = memory_region_fill(region);
    if (status == 0)
        status = survey_slices_walks(slices, region, is_huge);
    for (size_t from = 0; status == 0 && from < slices->result->from_count; from++) {
        status = survey_slices_loops(slices, region, from);
        if (status == 0)
            status = survey_slices_first_runs(slices, region, from);
        if (status == 0)
            survey_slices_note_missing(slices, region, from);
    }
    return status;
}
