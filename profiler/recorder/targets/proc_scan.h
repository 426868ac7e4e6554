// SPDX-License-Identifier: Apache-2.0
// Every 250 ms, scans /proc for threads and ends that nothing reported.
#ifndef PROFILER_RECORDER_TARGETS_PROC_SCAN_H
#define PROFILER_RECORDER_TARGETS_PROC_SCAN_H

#include "profiler/recorder/targets/targets.h"

struct proc_scan {
    const struct targets *targets;
    const struct machine *machine;
    struct table unknown;            // threads in /proc that were not known at the last scan
    uint64_t scanned_at;             // CLOCK_MONOTONIC
};

bool proc_scan_is_due(const struct proc_scan *scan, uint64_t now);

// Call it when all records and messages so far were taken.
void proc_scan_run(struct proc_scan *scan, uint64_t now);
void proc_scan_close(struct proc_scan *scan);

#endif
