// SPDX-License-Identifier: Apache-2.0
// Attaches to processes that run already: adds them and their threads, and opens the events of each thread.
#ifndef PROFILER_RECORDER_TARGETS_ATTACHED_H
#define PROFILER_RECORDER_TARGETS_ATTACHED_H

#include "profiler/recorder/targets/kernel_records.h"
#include "profiler/running/running.h"

struct attached {
    const struct running *running;   // down to without_faults: set by the caller
    const struct targets *targets;
    struct kernel_records *records;
    bool without_faults;
    const struct topology *topology;

    size_t threads;                  // that were there
    size_t unwatched;                // whose page faults and new threads the kernel does not report ...
    int error;                       // ... and why
    bool of_machine;                 // page faults come from every process of the machine, and are filtered
    bool by_cgroup;                  // the control group is counted by CPU, not thread by thread
    int left_out;                    // classes of counters, for want of descriptors
    size_t needed, allowed;          // descriptors
    struct table strangers;          // processes of the group that were not known then
    uint64_t looked_at;              // when the control group was read last, CLOCK_MONOTONIC
};

// Chooses what fits into the limit of open files, before anything is opened. Prints the refusal and returns an exit
// status, or 0.
int attached_plan(struct attached *attached);

// Adds the processes and opens everything on their threads; there is a recording. -ESRCH: all of them have ended;
// -ENOMEM.
int attached_begin(struct attached *attached);

// Attaches to processes that have come into the control group meanwhile; where the kernel reports no forks, to new
// descendants.
void attached_tick(struct attached *attached, uint64_t now);

void attached_close(struct attached *attached);

// Notes what could not be seen.
void attached_finish(const struct attached *attached);

#endif
