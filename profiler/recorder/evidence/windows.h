// SPDX-License-Identifier: Apache-2.0
// When the counters count: from a delay, for a duration, or between start and stop from a FIFO or a mark of the
// program.
#ifndef PROFILER_RECORDER_EVIDENCE_WINDOWS_H
#define PROFILER_RECORDER_EVIDENCE_WINDOWS_H

#include "profiler/launch/control.h"
#include "profiler/launch/run_options.h"
#include "profiler/recorder/evidence/counter_sets.h"

struct windows {
    const struct run_options *options;
    struct tasks *tasks;
    struct counter_sets *sets;
    struct control control;
    bool is_on, delay_is_over;
};

// Opens the FIFO. Prints what is wrong and returns an exit status, or 0. windows_close frees it in both cases.
int windows_open(struct windows *windows);
void windows_close(struct windows *windows);

// The target runs from now on.
void windows_start(const struct windows *windows);
void windows_tick(struct windows *windows, uint64_t now);

// cause: a word of window.cause.
void windows_switch(struct windows *windows, bool on, const char *cause);

#endif
