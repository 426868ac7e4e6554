// SPDX-License-Identifier: Apache-2.0
// Attaches to processes that run already: adds them and their threads, and opens the events of each thread.
#ifndef PROFILER_RECORDER_TARGETS_ATTACHED_H
#define PROFILER_RECORDER_TARGETS_ATTACHED_H

#include "profiler/launch/running.h"
#include "profiler/recorder/targets/kernel_records.h"

struct attached {
    const struct running *running;   // all three: set by the caller
    const struct targets *targets;
    struct kernel_records *records;
    bool without_faults;

    size_t threads;                  // that were there
    size_t unwatched;                // whose page faults and new threads the kernel does not report ...
    int error;                       // ... and why
};

// Adds the processes and opens everything on their threads; there is a recording. -ESRCH: all of them have ended; -ENOMEM.
int attached_begin(struct attached *attached);

// Notes what could not be seen.
void attached_finish(const struct attached *attached);

#endif
