// SPDX-License-Identifier: Apache-2.0
// The sampling period of a group's events, from the rate at which they happen.
//
// Where a period is set, the kernel forgets what the event has counted since its last sample (__perf_event_period in
// kernel/events/core.c). So each change loses up to one period, of the phase before the change: where a period followed
// every phase, a quarter of all requests had no sample, most of them of the slower phase. Phases that take turns share
// one period.
#ifndef COLLECTORS_COUNTERS_COUNTERS_PERIOD_H
#define COLLECTORS_COUNTERS_COUNTERS_PERIOD_H

#include <stdint.h>

struct counters_rate {
    uint64_t events, ns; // ns: time in which the group had counters
};

struct counters_pace {
    uint64_t period;                // now
    struct counters_rate now;       // since the last look
    struct counters_rate lately;    // of the last second or two
    uint64_t most, most_before;     // periods that bursts needed lately
};

// Returns the period for samples_per_s samples on average and a few times as many in a burst; the present one where
// too little was counted since the last look, or a change is not worth what it loses.
uint64_t counters_period_wanted(struct counters_pace *pace, uint64_t samples_per_s);

// The nearest smaller period that the hardware takes. least: a multiple of step.
uint64_t counters_period_allowed(uint64_t period, uint64_t least, uint64_t step);

#endif
