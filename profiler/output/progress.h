// SPDX-License-Identifier: Apache-2.0
// Says on stderr how far a task has come, once it takes longer than a second.
#ifndef PROFILER_OUTPUT_PROGRESS_H
#define PROFILER_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *what;              // NULL: nothing is to be said
    uint64_t begun;                // CLOCK_MONOTONIC
    int percent;                   // as shown, -1: nothing yet
};

void progress_begin(struct progress *progress, const char *what);
void progress_tell(struct progress *progress, size_t done, size_t all);
void progress_end(struct progress *progress);

#endif
