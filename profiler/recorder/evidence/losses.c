// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/losses.h"

bool losses_handle(struct losses *losses, const struct perf_event_header *header)
{
    uint64_t lost = 0;
    switch (header->type) {
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        perf_record_lost(header, &lost);
        losses->records += lost;
        return true;
    case PERF_RECORD_THROTTLE:
        losses->throttled++;
        return true;
    default:
        return false;
    }
}

void losses_finish(const struct losses *losses, const struct tasks *tasks)
{
    note_count(tasks, "lost", losses->records, "raise kernel.perf_event_mlock_kb",
               "record was lost: the kernel's buffers were full", "records were lost: the kernel's buffers were full");
    note_count(tasks, "lost", losses->malformed, NULL, "record was malformed and is not counted",
               "records were malformed and are not counted");
    note_count(tasks, "lost", losses->rings, NULL, "buffer of records could not be read",
               "buffers of records could not be read");
    note_count(tasks, "throttled", losses->throttled, "raise kernel.perf_event_max_sample_rate",
               "time the kernel throttled sampling", "times the kernel throttled sampling");
    note_count(tasks, "unmatched", losses->unknown_threads, NULL, "sample is of a thread whose start was not seen",
               "samples are of threads whose start was not seen");
}
