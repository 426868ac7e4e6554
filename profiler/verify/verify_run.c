// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify_run.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/system/clock.h"
#include "core/topology/thread_mask.h"
#include "profiler/measure/memory/memory_extent.h"
#include "profiler/verify/verify_access.h"
#include "profiler/verify/verify_caches.h"
#include "profiler/verify/verify_count.h"
#include "profiler/verify/verify_judge.h"
#include "profiler/verify/verify_site.h"

enum {
    RUN_LINES = 8192,          // of one run of a pattern: a hundred times the lines that timer ticks add
    RUN_LINES_EMULATED = 4096, // there a line takes ten times as long
};

struct run {
    struct verify *verify;
    const struct topology *t;
    const struct counters *counters;
    const struct verify_options *options;
    const atomic_bool *stop;
    size_t bases[COUNTERS_GROUPS]; // index of each group's first event
    size_t chunks;                 // of a node's memory: one for each run of a pattern
    struct memory_bound memory;    // of the node `to`
    struct verify_caches caches;
    char *few;                     // lines that stay in the cache
    size_t from, to;               // the pair
    int cpu, neighbour, beside, other;
    long taken, runs;              // involuntary context switches during runs; runs
    double done, steps;
    uint64_t start;                // clock_now
    int mapped, unmapped;          // nodes whose memory was mapped; error of the last one that was not
    int status;
};

#define RUN_SECONDS 25.0            // for further rounds of two nodes: the one that runs then ends within 30
enum { RUN_SECONDS_PAIRS = 2 * 2 }; // more pairs have more time

bool verify_run_has_time(double seconds, size_t pair, size_t pairs)
{
    const size_t shares = pairs < RUN_SECONDS_PAIRS ? pairs : RUN_SECONDS_PAIRS;
    return seconds < RUN_SECONDS * (double)(pair + 1) / (double)shares;
}

void verify_run_note_taken(struct verify *verify, long taken, long runs)
{
    if (taken > runs)
        verify_note(verify, "other programs took the CPU away %ld times in %ld runs: counts may be less exact", taken,
                    runs);
}

static bool run_is_stopped(const struct run *run)
{
    return atomic_load(run->stop);
}

static char *run_chunk(const struct run *run, size_t number)
{
    return run->memory.base + number * run->verify->lines * VERIFY_ACCESS_BLOCK;
}

// --- one run of a pattern

// Involuntary context switches of this thread so far.
static long run_interruptions(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nivcsw;
}

static int run_counted(struct run *run, const struct verify_count *count, verify_access_run *loop,
                       const struct verify_access *access, uint64_t *values)
{
    const long before = run_interruptions();
    int status = verify_count_run(count, loop, access, values);
    run->taken += run_interruptions() - before;
    run->runs++;
    return status;
}

struct run_neighbour {
    pthread_t thread;
    int cpu;
    atomic_bool begun, ended;
    struct verify_access access;
};

static void *run_neighbour_main(void *argument)
{
    struct run_neighbour *neighbour = argument;
    thread_mask_bind(0, neighbour->cpu);
    while (!atomic_load(&neighbour->begun))
        sched_yield();
    verify_access_mixed(&neighbour->access);
    atomic_store(&neighbour->ended, true);
    return NULL;
}

static int run_beside(struct run *run, const struct verify_count *count, const struct verify_access *access,
                      uint64_t *values)
{
    struct run_neighbour neighbour = {.cpu = run->neighbour, .access = *access};
    const struct verify_access cached = {
        .chunk = run->few, .lines = access->lines, .begun = &neighbour.begun, .until = &neighbour.ended};
    if (run->neighbour < 0 || pthread_create(&neighbour.thread, NULL, run_neighbour_main, &neighbour) != 0)
        return -EAGAIN;
    int status = run_counted(run, count, verify_access_cached, &cached, values);
    atomic_store(&neighbour.begun, true); // the neighbour waits for it even if counting failed
    pthread_join(neighbour.thread, NULL);
    return status;
}

// Modifies the lines on CPU `from`, then returns to the CPU of the pair. Both CPUs are allowed.
static int run_taken(const struct run *run, int from, verify_access_run *modify, const struct verify_access *access)
{
    if (from < 0)
        return -ENOENT;
    thread_mask_bind(0, from);
    modify(access);
    return thread_mask_bind(0, run->cpu);
}

static int run_once(struct run *run, enum verify_pattern pattern, const struct verify_count *count,
                    const struct verify_access *access, uint64_t *values)
{
    static const struct {
        verify_access_run *run, *modify;
    } patterns[VERIFY_PATTERNS] = {
        [VERIFY_RANDOM] = {verify_access_random, NULL},
        [VERIFY_STREAM] = {verify_access_stream, NULL},
        [VERIFY_STORES] = {verify_access_stores, NULL},
        [VERIFY_CACHED] = {verify_access_cached, NULL},
        [VERIFY_NEIGHBOUR] = {verify_access_cached, NULL},
        [VERIFY_TAKEN] = {verify_access_random, verify_access_modify_blocks},
        [VERIFY_TAKEN_STREAM] = {verify_access_stream, verify_access_modify_stream},
        [VERIFY_TAKEN_STORES] = {verify_access_stores, verify_access_modify_blocks},
        [VERIFY_BESIDE] = {verify_access_random, verify_access_modify_blocks},
        [VERIFY_BESIDE_STREAM] = {verify_access_stream, verify_access_modify_stream},
        [VERIFY_BESIDE_STORES] = {verify_access_stores, verify_access_modify_blocks},
        [VERIFY_SOFTWARE] = {verify_access_software, NULL},
    };
    const struct verify_access few = {.chunk = run->few, .lines = access->lines};
    verify_access_cached(&few); // brings the lines into the cache of this CPU
    if (pattern == VERIFY_NEIGHBOUR)
        return run_beside(run, count, access, values);
    const int modifier = pattern >= VERIFY_BESIDE ? run->beside : run->other;
    int status = patterns[pattern].modify ? run_taken(run, modifier, patterns[pattern].modify, access) : 0;
    if (status < 0)
        return status;
    return run_counted(run, count, patterns[pattern].run, pattern == VERIFY_CACHED ? &few : access, values);
}

// --- one group, one pattern, one pair

static void run_failed(struct run *run, const struct counters_group *group, enum verify_pattern pattern, int status)
{
    if (status == -EBUSY) {
        verify_note(run->verify, "another program uses the PMU: %s was not counted all the time, and is not verified",
                    group->events[0].source->class);
        run->verify->partial = true;
    } else if (status == -EAGAIN) {
        verify_note(run->verify, "%s are left out: no other CPU of the node is allowed here",
                    verify_pattern_name(pattern));
    } else if (status == -ENOENT && pattern >= VERIFY_BESIDE) {
        verify_note(run->verify, "%s are left out: no other core of the node is allowed here",
                    verify_pattern_name(pattern));
    } else if (status != -ENOENT) { // -ENOENT: no other node with CPUs, which verify_judge_begin notes
        verify_note(run->verify, "%s failed: %s", verify_pattern_name(pattern), strerror(-status));
        run->verify->partial = true;
    }
}

static void run_group(struct run *run, int index, enum verify_pattern pattern)
{
    const struct counters_group *group = &run->counters->groups[index];
    uint64_t values[VERIFY_REPEATS][EVENT_PLAN_GROUP_EVENTS] = {{0}};
    struct verify_count count;
    int status = verify_count_open(&count, group);
    for (int repeat = 0; status == 0 && repeat < VERIFY_REPEATS; repeat++) {
        const struct verify_access access = {.chunk = run_chunk(run, (size_t)index * VERIFY_REPEATS + (size_t)repeat),
                                             .lines = run->verify->lines, .chunks = 1};
        status = run_once(run, pattern, &count, &access, values[repeat]);
    }
    verify_count_close(&count);
    if (status < 0) {
        run_failed(run, group, pattern, status);
        return;
    }
    for (int event = 0; event < group->count; event++)
        for (int repeat = 0; repeat < VERIFY_REPEATS; repeat++)
            verify_cell_add(
                verify_cell(run->verify, run->bases[index] + (size_t)event, pattern, run->from, run->to),
                values[repeat][event]);
}

static void run_samples(struct run *run)
{
    const int index = run->counters->loads_group;
    const struct verify_access all = {
        .chunk = run_chunk(run, 0), .lines = run->verify->lines, .chunks = run->chunks};
    struct verify_count_samples samples = {{0}};
    verify_caches_empty(&run->caches, run->t, &run->memory);
    thread_mask_bind(0, run->cpu);
    int status = verify_count_sample(&run->counters->groups[index], run->cpu, verify_access_random, &all, &samples);
    if (status < 0) {
        verify_note(run->verify, "sampled loads are not verified: %s", strerror(-status));
        run->verify->partial = true;
        return;
    }
    verify_judge_samples(run->verify, run->t, run->from, run->to, samples.sources);
}

// --- one pair

static void run_step(struct run *run, const char *what, bool done)
{
    if (run->options->progress)
        run->options->progress(run->options->progress_to, what, run->done / run->steps);
    run->done += done;
}

static bool run_is_open(const struct run *run, int index, enum verify_pattern pattern)
{
    for (int event = 0; event < run->counters->groups[index].count; event++)
        if (verify_cell(run->verify, run->bases[index] + (size_t)event, pattern, run->from, run->to)->open)
            return true;
    return false;
}

// One round of a pattern, for the wanted groups.
static void run_pattern(struct run *run, enum verify_pattern pattern, const bool wanted[COUNTERS_GROUPS])
{
    verify_caches_empty(&run->caches, run->t, &run->memory);
    int status = thread_mask_bind(0, run->cpu);
    if (status < 0) {
        verify_note(run->verify, "CPU %d cannot be had: %s", run->cpu, strerror(-status));
        run->verify->partial = true;
        return;
    }
    for (int i = 0; i < run->counters->group_count && !run_is_stopped(run); i++) {
        if (run->counters->groups[i].error < 0 || !wanted[i])
            continue;
        if (i != run->counters->loads_group)
            run_group(run, i, pattern);
        else if (pattern == VERIFY_RANDOM)
            run_samples(run);
    }
}

// One round of all patterns. After the first round only groups with open cells run again.
static void run_round(struct run *run, int round)
{
    for (int i = 0; i < VERIFY_PATTERNS && !run_is_stopped(run); i++) {
        const enum verify_pattern pattern = (enum verify_pattern)i;
        bool wanted[COUNTERS_GROUPS], any = false;
        if (pattern == VERIFY_SOFTWARE && run->options->emulated) // QEMU ignores prefetch instructions
            continue;
        for (int group = 0; group < run->counters->group_count; group++)
            any |= wanted[group] =
                round == 0 || (group != run->counters->loads_group && run_is_open(run, group, pattern));
        // Prefetches are compared with the demand reads of their own round.
        for (int group = 0; any && pattern == VERIFY_STREAM && group < run->counters->group_count; group++)
            wanted[group] = true;
        run_step(run, verify_pattern_name(pattern), round == 0);
        if (any)
            run_pattern(run, pattern, wanted);
    }
}

// Times of emulated machines say nothing.
static bool run_has_time(const struct run *run)
{
    const size_t pairs = run->verify->from_count * run->verify->to_count,
                 pair = run->to * run->verify->from_count + run->from;
    return run->options->emulated ||
           verify_run_has_time((double)(clock_now() - run->start) / CLOCK_S, pair, pairs);
}

static void run_pair(struct run *run, size_t from)
{
    enum verify_where where;
    run->from = from;
    run->cpu = verify_site_cpu(run->t, run->verify->from[from]);
    run->neighbour = verify_site_neighbour(run->t, run->cpu);
    run->beside = verify_site_beside(run->t, run->cpu);
    run->other = verify_site_other(run->t, run->verify->from[from], &where);
    bool open = true;
    for (int round = 0; round < VERIFY_ROUNDS && open && !run_is_stopped(run); round++) {
        if (round > 0 && !run_has_time(run))
            break; // what is open stays not verified
        run_round(run, round);
        open = verify_judge_pair(run->verify, run->t, run->counters, run->from, run->to);
    }
}

static void run_memory(struct run *run, size_t to)
{
    const size_t chunk = run->verify->lines * VERIFY_ACCESS_BLOCK, unit = MEMORY_EXTENT_UNIT;
    const size_t bytes = (run->chunks * chunk + unit - 1) / unit * unit;
    run->to = to;
    run_step(run, "memory", true);
    int status = verify_site_memory(run->verify, run->t, run->verify->to[to], bytes, &run->memory);
    if (status < 0) {
        run->verify->partial = true;
        run->unmapped = status;
        return;
    }
    run->mapped++;
    for (size_t i = 0; i < run->chunks; i++)
        verify_access_link(run_chunk(run, i), run->verify->lines);
    thread_mask_bind(0, verify_site_cpu(run->t, run->verify->from[0]));
    if (!run->caches.flush_works && !run->caches.junk)
        run->status = verify_caches_choose(&run->caches, run->counters, run->t, &run->memory, run->verify->lines,
                                           !run->options->emulated);
    for (size_t from = 0; run->status == 0 && from < run->verify->from_count && !run_is_stopped(run); from++)
        run_pair(run, from);
    memory_bound_unmap(&run->memory);
}

// --- everything

static void run_all(struct run *run)
{
    run->chunks = (size_t)run->counters->group_count * VERIFY_REPEATS;
    run->steps = (double)run->verify->to_count * (1 + (double)run->verify->from_count * VERIFY_PATTERNS);
    for (size_t to = 0; to < run->verify->to_count && run->verify->from_count > 0 && run->status == 0; to++)
        if (!run_is_stopped(run))
            run_memory(run, to);
    if (run->mapped == 0 && run->unmapped == -ENOMEM)
        run->status = -ENOMEM;
    verify_run_note_taken(run->verify, run->taken, run->runs);
    if (run_is_stopped(run)) {
        verify_note(run->verify, "interrupted: what was not reached is not verified");
        run->verify->partial = true;
    }
}

int verify_run(struct verify *verify, const struct topology *t, const struct counters *counters,
               const struct verify_options *options, const atomic_bool *stop)
{
    static const size_t few_bytes = 64 * (size_t)VERIFY_ACCESS_CACHED_LINES; // of 64 bytes
    struct run run = {.verify = verify, .t = t, .counters = counters, .options = options, .stop = stop,
                      .start = clock_now()};
    struct cpulist before;
    int status = verify_judge_begin(verify, t, counters, run.bases);
    if (status < 0)
        return status;
    verify->lines = options->emulated ? RUN_LINES_EMULATED : RUN_LINES;
    thread_mask_get(0, &before);
    run.few = aligned_alloc(64, few_bytes);
    status = run.few ? 0 : -ENOMEM;
    if (status == 0) {
        memset(run.few, 1, few_bytes);
        run_all(&run);
        status = run.status;
        verify_judge_all(verify, t, counters);
    }
    thread_mask_set(0, &before);
    verify_caches_free(&run.caches);
    free(run.few);
    return status;
}
