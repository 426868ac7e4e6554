// SPDX-License-Identifier: Apache-2.0
// Counts what was lost between the kernel and the recording, and writes it as notes.
#ifndef PROFILER_RECORDER_EVIDENCE_LOSSES_H
#define PROFILER_RECORDER_EVIDENCE_LOSSES_H

#include "collectors/perf/perf_record.h"
#include "profiler/recorder/run/note.h"

struct losses {
    uint64_t records;                // the kernel had no room for
    uint64_t throttled;              // times
    uint64_t unknown_threads;        // samples of threads whose start was not seen
    uint64_t malformed;              // records that contradict themselves
    uint64_t rings;                  // that could not be mapped or drained
};

// Counts a record that reports a loss. False: the record reports none.
bool losses_handle(struct losses *losses, const struct perf_event_header *header);

void losses_finish(const struct losses *losses, const struct tasks *tasks);

#endif
