// SPDX-License-Identifier: Apache-2.0
// The sets of counters that are open, when they are read, and the time line they make. Sampled loads come with them.
#ifndef PROFILER_RECORDER_EVIDENCE_COUNTER_SETS_H
#define PROFILER_RECORDER_EVIDENCE_COUNTER_SETS_H

#include "collectors/counters/counters.h"
#include "collectors/perf/perf_streams.h"
#include "profiler/launch/run_options.h"
#include "profiler/recorder/evidence/losses.h"
#include "profiler/recorder/evidence/refusals.h"
#include "profiler/recorder/evidence/stack_walk.h"
#include "profiler/recorder/evidence/verification.h"

struct counter_sets {
    const struct topology *topology; // down to refusals: set by the caller
    struct tasks *tasks;
    struct perf_streams *streams;
    struct losses *losses;
    struct stack_walk *walk;
    struct refusals *refusals;
    struct samples *samples;
    struct objects *objects;

    struct counters counters;
    struct verification verification; // of its events
    struct loads loads;
    struct counter_set **of_cpus;    // of a program whose threads cannot be counted one by one, and of loads that only
    size_t of_cpus_count;            // CPUs can sample
    bool counts_cpus;                // some of of_cpus count the program ...
    bool counts_cgroup;              // ... or the control group
    bool usable;                     // at least one group can be counted
    bool is_on;                      // as counter_sets_switch left it: since then ...
    uint64_t on_since, on_ns;        // ... and how long in all before that
    uint64_t interval_ns;            // of the time line, now
    uint64_t read_at;                // when the counters were read last
    bool is_late;                    // it was much later than it should have been, once
    uint64_t rows_at_widening;       // counters.rows when interval_ns was doubled last
};

// Plans the groups and tries them on this process. -EINVAL: --events names an unknown question.
int counter_sets_open(struct counter_sets *sets, const struct run_options *options, bool is_emulated, bool is_paused);

// There is a recording now: tasks has its queue. False: there is nothing to count.
bool counter_sets_begin(struct counter_sets *sets);

// Opens the sets of the target, which has not run yet. registers: its threads report their start one by one.
void counter_sets_attach(struct counter_sets *sets, pid_t pid, bool registers);
void counter_sets_close(struct counter_sets *sets);

// Counts all threads of a control group, one set for each CPU, instead of thread by thread. path: the group's folder.
// can: whether the kernel lets this process; it opens nothing.
bool counter_sets_can_count_cgroup(const struct counter_sets *sets, const char *path);
void counter_sets_count_cgroup(struct counter_sets *sets, const char *path);

// Counts the thread from now on, where that is possible. False: not, or it was counted already.
bool counter_sets_count(struct counter_sets *sets, struct thread *thread);

// Gives the thread a set that was opened for it, and owns it. time_before: of counters_time_before; 0 if the thread
// waited for the set.
void counter_sets_give(struct counter_sets *sets, struct thread *thread, struct counter_set *set, int64_t time_before);

// Migrations so far are those of a thread that was not pinned yet.
void counter_sets_forget_migrations(struct thread *thread);

// Reads the thread's set for the last time; it is closed after the next drain.
void counter_sets_end(struct counter_sets *sets, struct thread *thread, uint64_t time);

// Reads all sets if the interval is over.
void counter_sets_tick(struct counter_sets *sets, uint64_t now);
void counter_sets_read(struct counter_sets *sets, uint64_t now);
void counter_sets_switch(struct counter_sets *sets, bool on);

#endif
