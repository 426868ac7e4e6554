// SPDX-License-Identifier: Apache-2.0
// Rows of the tables note and evidence.
#ifndef PROFILER_RECORDER_RUN_NOTE_H
#define PROFILER_RECORDER_RUN_NOTE_H

#include "collectors/processes/tasks.h"

// A note at the time of this call. value: RECORDING_NULL for none. remedy: NULL for none.
void note_write(const struct tasks *tasks, const char *kind, int64_t value, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// The same for a number of losses, where there were any: "12 records were lost". one: the words for a count of 1.
void note_count(const struct tasks *tasks, const char *kind, uint64_t count, const char *remedy, const char *one,
                const char *several);

// Why a collector was not used.
struct note_missing {
    const char *why, *remedy;
};

// detail: what was used; missing: why it was not. One of the two is written, as used says.
void note_evidence(const struct tasks *tasks, int level, const char *collector, bool used, const char *detail,
                   struct note_missing missing);

#endif
