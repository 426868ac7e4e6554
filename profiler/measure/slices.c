// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/slices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/measure/schedule.h"
#include "profiler/measure/team.h"

enum {
    SLICES_ENOUGH = 3,          // values; also of first runs, each of which maps new memory
    SLICES_NS = 30000000,       // of one
    SLICES_EMULATED_NS = 5000000,
};

// What one metric runs: its jobs stand in the crew's arrays.
struct slices_crew {
    size_t from;                // column of the result
    int cpus[CPULIST_MAX];      // one of each core
    size_t count;
    struct team_job one, *all;  // all: one for each core
};

// The allowed CPUs of a node, one of each core. Returns how many.
static size_t slices_cores(const struct topology *t, int node, int *cpus, size_t max)
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

static struct team_job slices_share(const struct region *region, int cpu, size_t part, size_t parts)
{
    size_t half = region_half(region), share = half / parts / KERNELS_STEP * KERNELS_STEP;
    return (struct team_job){.cpu = cpu, .work = TEAM_LOOP, .to = region->place.base + part * share,
                             .from = region->place.base + half + part * share,
                             .first_word = (half + part * share) / 8, .bytes = share};
}

static int slices_hire(struct slices_crew *crew, const struct slices *slices, const struct region *region, size_t from)
{
    *crew = (struct slices_crew){.from = from};
    crew->count = slices_cores(slices->t, slices->result->from[from], crew->cpus, CPULIST_MAX);
    crew->all = calloc(crew->count + 1, sizeof *crew->all);
    if (!crew->all)
        return -ENOMEM;
    crew->one = slices_share(region, crew->cpus[0], 0, 1);
    for (size_t i = 0; i < crew->count; i++)
        crew->all[i] = slices_share(region, crew->cpus[i], i, crew->count);
    return 0;
}

static void slices_set(struct team_job *job, enum kernels_op op, uint64_t value)
{
    job->op = op;
    job->loop = kernels_best()->run[op];
    job->value = value;
    job->bytes_done = job->steps_done = job->kept_ns = job->lost_ns = 0;
    job->all_lines = 0;
}

// --- one slice

void slices_step(struct slices *slices, const char *what, double seconds)
{
    const struct survey_options *o = slices->options;
    if (o->progress)
        o->progress(o->progress_to, what, slices->done_s, slices->plan_s);
    slices->done_s += seconds;
}

static double slices_value(const struct metric *metric, const struct team_job *jobs, size_t count)
{
    double rate = 0;
    if (metric->group == METRIC_LATENCY)
        return jobs[0].steps_done > 0 ? jobs[0].kept_ns / jobs[0].steps_done - jobs[0].pause_ns : 0;
    if (metric->group == METRIC_LINES)
        return jobs[0].bytes_done > 0 ? jobs[0].kept_ns / (jobs[0].bytes_done / KERNELS_LINE) : 0;
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].kept_ns <= 0)
            return 0; // a sum without one of them would be too small
        rate += jobs[i].bytes_done / jobs[i].kept_ns * 1e9;
    }
    bool is_copy = metric->op == KERNELS_COPY || metric->op == KERNELS_COPY_NT;
    return is_copy ? 2 * rate : rate;
}

static bool slices_are_sound(struct slices *slices, const struct metric *metric, const struct team_job *jobs,
                             size_t count)
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

static void slices_keep(struct slices *slices, enum metric_id id, size_t from, const struct team_job *jobs,
                        size_t count)
{
    const struct metric *metric = metric_get(id);
    struct result_cell *cell = result_cell(slices->result, id, slices->to, from);
    double value = slices_are_sound(slices, metric, jobs, count) ? slices_value(metric, jobs, count) : 0;
    for (size_t i = 0; i < count; i++) {
        cell->lost_ns += jobs[i].lost_ns;
        cell->kept_ns += jobs[i].kept_ns;
        cell->lines += jobs[i].all_lines;
    }
    if (value > 0 && cell->count < RESULT_REPEATS)
        cell->values[cell->count++] = value;
}

static int slices_run(struct slices *slices, enum metric_id id, size_t from, struct team_job *jobs, size_t count)
{
    slices_step(slices, metric_get(id)->name, SCHEDULE_SLICE_S);
    int status = team_run(jobs, count, slices->options->emulated ? SLICES_EMULATED_NS : SLICES_NS, slices->stop);
    if (status == 0)
        slices_keep(slices, id, from, jobs, count);
    else if (status != -EINTR)
        result_note(slices->result, "%s is left out: %zu thread%s cannot be started: %s (see ulimit -u)",
                    metric_get(id)->name, count, count == 1 ? "" : "s", strerror(-status));
    return status == -EINTR ? status : 0;
}

static bool slices_wants_more(const struct slices *slices, enum metric_id id, size_t from, int round)
{
    const struct result_cell *cell = result_cell(slices->result, id, slices->to, from);
    return !slices->options->skip[id] &&
           (round < SCHEDULE_REPEATS || cell->count < SLICES_ENOUGH || result_is_noisy(cell));
}

// --- walks

static int slices_walk_one(struct slices *slices, struct slices_crew *crew, enum metric_id id, const struct region *on,
                           const struct walk_line **line)
{
    bool is_loaded = id == METRIC_LATENCY_LOADED;
    for (size_t i = 0; i < crew->count; i++)
        slices_set(&crew->all[i], KERNELS_READ, 0);
    struct team_job *walker = &crew->all[0], before = *walker;
    walker->work = TEAM_WALK;
    walker->pauses = metric_get(id)->pauses;
    walker->line = *line;
    walker->lines = on->walk_bytes / sizeof **line;
    int status = slices_run(slices, id, crew->from, crew->all, is_loaded ? crew->count : 1);
    *line = walker->line;
    *walker = before;
    return status;
}

static int slices_walk_from(struct slices *slices, const struct region *region, const struct region *on,
                            const struct walk_line **line, const enum metric_id ids[2], size_t from)
{
    struct slices_crew crew;
    int status = slices_hire(&crew, slices, region, from);
    for (int round = 0; status == 0 && round < RESULT_REPEATS; round++)
        for (int i = 0; status == 0 && i < 2 && ids[i] != METRICS; i++) {
            if (!slices_wants_more(slices, ids[i], from, round))
                continue;
            if (ids[i] == METRIC_LATENCY_LOADED && crew.count == 1)
                result_note(slices->result, "node %d has one usable core: no latency under load",
                            slices->result->from[from]);
            else
                status = slices_walk_one(slices, &crew, ids[i], on, line);
        }
    free(crew.all);
    return status;
}

// ids: what is measured on this walk, ended by METRICS. on holds the walk in its first half; region's second half is
// what evicts it from the caches and what the others read.
static int slices_walk(struct slices *slices, struct region *region, struct region *on, const enum metric_id ids[2])
{
    bool is_wanted = !slices->options->skip[ids[0]] || (ids[1] != METRICS && !slices->options->skip[ids[1]]);
    if (!is_wanted)
        return 0;
    slices_step(slices, on->name, schedule_walk_s(on->walk_bytes));
    int status = region_walk(on, metric_get(ids[0])->order);
    region_push_out(&region->place, region_half(region), region->place.bytes);
    if (status == 0)
        status = region_empty_caches(on, slices->result);
    const struct walk_line *line = (const struct walk_line *)(void *)on->place.base;
    for (size_t from = 0; status == 0 && from < slices->result->from_count; from++)
        status = slices_walk_from(slices, region, on, &line, ids, from);
    return status;
}

static int slices_walks_small(struct slices *slices, struct region *region, struct region *on)
{
    static const enum metric_id random[] = {METRIC_LATENCY_RANDOM_4K, METRIC_LATENCY_RANDOM_PAUSES};
    static const enum metric_id window[] = {METRIC_LATENCY_WINDOW_4K, METRIC_LATENCY_WINDOW_PAUSES};
    int status = slices_walk(slices, region, on, random);
    return status < 0 ? status : slices_walk(slices, region, on, window);
}

static int slices_walks_huge(struct slices *slices, struct region *region)
{
    static const enum metric_id random[] = {METRIC_LATENCY_RANDOM, METRIC_LATENCY_LOADED};
    static const enum metric_id window[] = {METRIC_LATENCY_WINDOW, METRICS};
    int status = slices_walk(slices, region, region, random);
    return status < 0 ? status : slices_walk(slices, region, region, window);
}

static int slices_walks(struct slices *slices, struct region *region, bool is_huge)
{
    const bool *skip = slices->options->skip;
    if (!is_huge) {
        static const enum metric_id loaded[] = {METRIC_LATENCY_LOADED, METRICS};
        int status = slices_walks_small(slices, region, region);
        return status < 0 ? status : slices_walk(slices, region, region, loaded);
    }
    int status = slices_walks_huge(slices, region);
    if (status < 0 || (skip[METRIC_LATENCY_RANDOM_4K] && skip[METRIC_LATENCY_WINDOW_4K] &&
                       skip[METRIC_LATENCY_RANDOM_PAUSES] && skip[METRIC_LATENCY_WINDOW_PAUSES]))
        return status;
    struct region small = {.t = region->t, .nodes = region->nodes, .name = region->name, .stop = region->stop};
    slices_step(slices, small.name, schedule_touch_s(region_half(region), false));
    if (region_open(&small, region_half(region), false, slices->result) < 0)
        return atomic_load(region->stop) ? -EINTR : 0; // noted; the rest can still be measured
    status = slices_walks_small(slices, region, &small);
    region_close(&small);
    return status;
}

// --- loops

static int slices_loop(struct slices *slices, struct slices_crew *crew, enum metric_id id, int round)
{
    const struct metric *metric = metric_get(id);
    bool is_all = metric->group == METRIC_ALL_CORES;
    struct team_job *jobs = is_all ? crew->all : &crew->one;
    size_t count = is_all ? crew->count : 1;
    for (size_t i = 0; i < count; i++)
        slices_set(&jobs[i], metric->op, (uint64_t)round * METRICS + id + 1);
    return slices_run(slices, id, crew->from, jobs, count);
}

static int slices_loops(struct slices *slices, struct region *region, size_t from)
{
    struct slices_crew crew;
    region_push_out(&region->place, 0, region_half(region));
    int status = region_empty_caches(region, slices->result); // also of what another node's CPUs have just read
    if (status < 0)
        return status;
    status = slices_hire(&crew, slices, region, from);
    for (int round = 0; status == 0 && round < RESULT_REPEATS; round++)
        for (int id = METRIC_READ; status == 0 && id <= METRIC_STRIDE_WRITE; id++)
            if (slices_wants_more(slices, (enum metric_id)id, from, round))
                status = slices_loop(slices, &crew, (enum metric_id)id, round);
    free(crew.all);
    return status;
}

// --- first and later runs over new memory

static int slices_once(struct slices *slices, const struct region *region, size_t from)
{
    struct place place;
    struct place_report report;
    int cpu, status = 0;
    if (slices_cores(slices->t, slices->result->from[from], &cpu, 1) == 0 ||
        (status = place_map(&place, region_half(region) / 2, &region->nodes, false)) < 0)
        return status;
    struct team_job job = {.cpu = cpu, .work = TEAM_ONCE, .to = place.base, .bytes = place.bytes};
    struct team_job later = job;
    slices_set(&job, KERNELS_STRIDE_WRITE, 1);
    slices_set(&later, KERNELS_STRIDE_WRITE, 2);
    bool is_there = place.is_bound;
    slices_step(slices, metric_get(METRIC_FIRST_RUN)->name, schedule_touch_s(place.bytes, false));
    status = team_run(&job, 1, SLICES_NS, slices->stop);
    if (status == 0 && place_verify(&place, &region->nodes, &report) == 0)
        is_there = report.right == report.pages;
    if (status == 0 && is_there) {
        slices_keep(slices, METRIC_FIRST_RUN, from, &job, 1);
        status = slices_run(slices, METRIC_LATER_RUN, from, &later, 1);
    } else if (status == 0) {
        result_note(slices->result, "%s: first runs are left out, the pages went elsewhere", region->name);
    }
    place_unmap(&place);
    return status;
}

static int slices_first_runs(struct slices *slices, const struct region *region, size_t from)
{
    int status = 0;
    for (int i = 0; status == 0 && i < RESULT_REPEATS; i++)
        if ((!slices->options->skip[METRIC_FIRST_RUN] || !slices->options->skip[METRIC_LATER_RUN]) &&
            result_cell(slices->result, METRIC_FIRST_RUN, slices->to, from)->count < SLICES_ENOUGH)
            status = slices_once(slices, region, from);
    return status;
}

// Where others had the CPUs all the time there is no number.
static void slices_note_missing(struct slices *slices, const struct region *region, size_t from)
{
    for (int id = 0; id < METRICS; id++) {
        const struct result_cell *cell = result_cell(slices->result, (enum metric_id)id, slices->to, from);
        if (cell->count == 0 && cell->lost_ns > 0)
            result_note(slices->result, "%s from node %d to %s is left out: others had its CPUs all the time",
                        metric_get((enum metric_id)id)->name, slices->result->from[from], region->name);
    }
}

int slices_measure(struct slices *slices, struct region *region, bool is_huge)
{
    int status = region_fill(region);
    if (status == 0)
        status = slices_walks(slices, region, is_huge);
    for (size_t from = 0; status == 0 && from < slices->result->from_count; from++) {
        status = slices_loops(slices, region, from);
        if (status == 0)
            status = slices_first_runs(slices, region, from);
        if (status == 0)
            slices_note_missing(slices, region, from);
    }
    return status;
}
