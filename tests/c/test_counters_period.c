// SPDX-License-Identifier: Apache-2.0
// Sampling periods: phases that take turns share one, and a burst does not flood the ring.
#include "collectors/counters/counters_period.h"

#include "tests/c/check.h"

enum { PER_S = 100, LOOK_MS = 50 };

static struct counters_pace pace;
static uint64_t changes, lost, samples, left;

// So many events in LOOK_MS, then a look; the kernel forgets what came since the last sample where the period changes.
static void pass(uint64_t events)
{
    samples += (left + events) / pace.period;
    left = (left + events) % pace.period;
    pace.now.events += events;
    pace.now.ns += LOOK_MS * UINT64_C(1000000);
    uint64_t period = counters_period_wanted(&pace, PER_S);
    if (period == pace.period)
        return;
    pace.period = period;
    lost += left;
    left = 0;
    changes++;
}

static void begin(void)
{
    pace = (struct counters_pace){.period = 101};
    changes = lost = samples = left = 0;
}

static void pass_for_s(uint64_t seconds, uint64_t events, uint64_t others)
{
    for (uint64_t i = 0; i < seconds * 1000 / LOOK_MS; i += 2) {
        pass(events);
        pass(others);
    }
}

TEST(phases_that_take_turns_share_one_period)
{
    begin();
    pass_for_s(5, 200000, 20000);
    changes = lost = samples = 0;
    pass_for_s(20, 200000, 20000);
    CHECK_EQ(changes, 0);
    CHECK_EQ(lost, 0);
    CHECK(samples > 20 * PER_S / 10 && samples <= 20 * PER_S);
}

TEST(a_burst_raises_the_period_at_once)
{
    begin();
    pass_for_s(5, 100, 100);
    CHECK_EQ(pace.period, 101);
    pass(10000000);
    CHECK(10000000 / pace.period <= 4 * PER_S * LOOK_MS / 1000);
}

TEST(what_becomes_rare_for_good_gets_a_smaller_period)
{
    begin();
    pass_for_s(5, 10000000, 10000000);
    CHECK(pace.period > 100000);
    pass_for_s(30, 1000, 1000);
    CHECK_EQ(pace.period, 251);
}

TEST(a_thread_that_waits_keeps_its_period)
{
    begin();
    pass_for_s(5, 1000000, 1000000);
    const uint64_t period = pace.period;
    pass_for_s(60, 0, 0);
    CHECK_EQ(pace.period, period);
}

TEST(too_little_time_tells_no_rate)
{
    begin();
    pace.now = (struct counters_rate){.events = 1000000000, .ns = 1000000};
    CHECK_EQ(counters_period_wanted(&pace, PER_S), 101);
    CHECK_EQ(pace.now.events, 1000000000);
}

TEST(periods_are_what_the_hardware_takes)
{
    CHECK_EQ(counters_period_allowed(1009, 0, 1), 1009);
    CHECK_EQ(counters_period_allowed(1009, 0x90, 16), 1008);
    CHECK_EQ(counters_period_allowed(101, 0x90, 16), 0x90); // IBS would sample every 0x90 operations, and not say so
}
