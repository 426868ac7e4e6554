// SPDX-License-Identifier: Apache-2.0
// Counts one group of events, or samples loads, in user mode of this thread while a loop runs.
#ifndef PROFILER_VERIFY_VERIFY_COUNT_H
#define PROFILER_VERIFY_VERIFY_COUNT_H

#include "collectors/counters/counters.h"
#include "profiler/verify/verify_access.h"

struct verify_count {
    int fds[EVENT_PLAN_GROUP_EVENTS];
    int count;
};

// Opens the group, disabled, for the calling thread. Errors of perf_event_open.
int verify_count_open(struct verify_count *count, const struct counters_group *group);
void verify_count_close(struct verify_count *count);

// Runs the loop; values gets the count of each event of the group. -EBUSY: the group had no counters for part of the
// time.
int verify_count_run(const struct verify_count *count, verify_access_run *run, const struct verify_access *access,
                     uint64_t values[EVENT_PLAN_GROUP_EVENTS]);

struct verify_count_samples {
    uint64_t sources[LOAD_SLOW_TIER + 1]; // sampled loads of the chunks, by enum load_source
};

// Samples loads while the loop runs on this CPU; adds to *samples. Errors of perf_event_open and of mapping its ring.
int verify_count_sample(const struct counters_group *group, int cpu, verify_access_run *run,
                        const struct verify_access *access, struct verify_count_samples *samples);

#endif
