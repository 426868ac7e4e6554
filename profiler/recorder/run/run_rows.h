// SPDX-License-Identifier: Apache-2.0
// The rows that describe the run as a whole.
#ifndef PROFILER_RECORDER_RUN_RUN_ROWS_H
#define PROFILER_RECORDER_RUN_RUN_ROWS_H

#include <sys/types.h>

#include "profiler/launch/target.h"
#include "profiler/recorder/run/machine.h"

struct run_rows {
    const struct run_options *options;
    const struct target *target;
    const struct machine *machine;
    const char *uarch;               // the catalogue's name of the CPU, or NULL
    pid_t pid;                       // of the target
    int repeat;                      // from 1
    uint64_t epoch;                  // CLOCK_MONOTONIC at the start of the run
};

void run_rows_begin(const struct run_rows *run, struct recording_queue *queue);

// wait_status: as wait(2) gave it; NULL: the target's end was not seen.
// balancing_moved: pages that automatic balancing moved meanwhile; RECORDING_NULL: unknown.
void run_rows_end(const struct run_rows *run, struct recording_queue *queue, const int *wait_status, uint64_t end,
                  int64_t balancing_moved);

#endif
