// SPDX-License-Identifier: Apache-2.0
// Starts and ends the processes and threads of the target in all modules that hold something for them.
#ifndef PROFILER_RECORDER_TARGETS_TARGETS_H
#define PROFILER_RECORDER_TARGETS_TARGETS_H

#include "collectors/faults/faults.h"
#include "collectors/pages/pages.h"
#include "profiler/recorder/channel/channel_server.h"
#include "profiler/recorder/evidence/allocations.h"
#include "profiler/recorder/evidence/counter_sets.h"
#include "profiler/recorder/evidence/stack_walk.h"
#include "profiler/recorder/targets/outside_threads.h"
#include "profiler/recorder/targets/programs.h"

struct targets {
    struct tasks *tasks;
    struct faults *faults;
    struct counter_sets *sets;
    struct allocations *allocations;
    struct stack_walk *walk;
    struct pages *pages;             // NULL: no nodes are asked for
    struct channel_server *channel;  // NULL: there is none
    // No thread registers: each is counted when the kernel's record of its start arrives.
    bool counts_at_fork;
    struct programs programs;
    struct outside_threads outside;
};

// Classifies all waiting samples and writes their rows. ending: a process that is about to be removed, or NULL.
void targets_classify(const struct targets *targets, struct process *ending);

// Handle the kernel's records of a new thread or process, and of an exec.
void targets_fork(const struct targets *targets, const struct perf_task *task, uint64_t time);
void targets_exec(const struct targets *targets, struct thread *thread);

// Asks /proc what the process runs and maps, if records were lost that may have told it.
void targets_recover(const struct targets *targets, struct process *process);

// time 0: when it ended was not seen. A process ends with its last thread.
void targets_end_thread(const struct targets *targets, struct thread *thread, uint64_t time);

// Ends all threads of the process.
void targets_end_process(const struct targets *targets, const struct process *process, uint64_t time);

#endif
