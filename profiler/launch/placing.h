// SPDX-License-Identifier: Apache-2.0
// A run with a placement file (--place): checks the file, tells the preload library where the file and the shared
// counters are, and says what came of the placement.
#ifndef PROFILER_LAUNCH_PLACING_H
#define PROFILER_LAUNCH_PLACING_H

#include <limits.h>

#include "collectors/placement/placement_counts.h"
#include "core/recording/recording_queue.h"

struct placing {
    struct placement placement;
    struct placement_counts *counts;
    int fd;                          // of the counters
    char file[PATH_MAX + 32], shared[PATH_MAX + 32]; // NAME=VALUE, for the target's environment
};

// Reads and checks the file. Prints what is wrong. Returns 0 or -errno; placing_close in both cases.
int placing_open(struct placing *placing, const char *path);
void placing_close(struct placing *placing);

// All counters to 0: another run begins.
void placing_reset(struct placing *placing);

// One line on stderr: what was asked, placed and verified.
void placing_report(const struct placing *placing);

// One row of the recording for each subject.
void placing_record(const struct placing *placing, struct recording_queue *queue);

#endif
