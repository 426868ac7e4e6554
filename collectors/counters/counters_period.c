// SPDX-License-Identifier: Apache-2.0
#include "collectors/counters/counters_period.h"

#include <stdbool.h>
#include <stddef.h>

// Primes, because access patterns are regular; each is 2 to 2.5 times the one before.
static const uint64_t counters_periods[] = {101,    251,    503,     1009,    2503,    5003,     10007,   25013,
                                            50021,  100003, 250007,  500009,  1000003, 2500009,  5000011, 10000019};
enum {
    COUNTERS_PERIODS = sizeof counters_periods / sizeof *counters_periods,
    COUNTERS_PERIOD_LOOK_NS = 10000000,     // least time for a rate
    COUNTERS_PERIOD_LATELY_NS = 1000000000, // phases of programs are shorter
    COUNTERS_PERIOD_BURST = 4,              // times as many samples, for as long
};

// The smallest period that would have given no more samples than wanted.
static uint64_t counters_period_for(struct counters_rate rate, uint64_t samples_per_s)
{
    const uint64_t wanted = samples_per_s * rate.ns / 1000000000;
    for (size_t i = 0; i < COUNTERS_PERIODS; i++)
        if (rate.events / counters_periods[i] <= wanted)
            return counters_periods[i];
    return counters_periods[COUNTERS_PERIODS - 1];
}

static uint64_t counters_period_larger(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

static void counters_period_forget(struct counters_pace *pace)
{
    pace->lately.events /= 2;
    pace->lately.ns /= 2;
    pace->most_before = pace->most;
    pace->most = 0;
}

uint64_t counters_period_wanted(struct counters_pace *pace, uint64_t samples_per_s)
{
    const struct counters_rate now = pace->now;
    if (now.ns < COUNTERS_PERIOD_LOOK_NS)
        return pace->period;
    pace->now = (struct counters_rate){0};
    pace->lately.events += now.events;
    pace->lately.ns += now.ns;
    pace->most = counters_period_larger(pace->most, counters_period_for(now, COUNTERS_PERIOD_BURST * samples_per_s));
    uint64_t period = counters_period_for(pace->lately, samples_per_s);
    period = counters_period_larger(period, counters_period_larger(pace->most, pace->most_before));
    if (pace->lately.ns >= COUNTERS_PERIOD_LATELY_NS)
        counters_period_forget(pace);
    // Keeps the period of a thread that waits, and avoids small changes: each costs system calls.
    bool keeps = now.events == 0 || (period < pace->period && period * 3 > pace->period);
    return keeps ? pace->period : period;
}

uint64_t counters_period_allowed(uint64_t period, uint64_t least, uint64_t step)
{
    return counters_period_larger(period - period % step, least);
}
