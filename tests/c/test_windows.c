// SPDX-License-Identifier: Apache-2.0
// When the counters count: from a delay, for a duration, and what the recording says of it. Nobody waits: ticks have
// times by hand. Orders from a FIFO are shown by launch/test_launch_windows.py.
#include "profiler/recorder/evidence/windows.h"

#include "core/system/clock.h"
#include "hand_modules.h"

enum { DELAY = 30, DURATION = 200 };

static struct windows windows;

static void begin(const struct run_options *options)
{
    hand_modules();
    windows = (struct windows){.options = options, .tasks = &tasks, .sets = &sets};
    CHECK_EQ(windows_open(&windows), 0);
    sets.is_on = windows.is_on;
    windows_start(&windows);
}

static void tick(uint64_t ms)
{
    windows_tick(&windows, tasks.epoch + ms * CLOCK_MS);
    CHECK_EQ(windows.is_on, sets.is_on);
}

static void end(void)
{
    windows_close(&windows);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

static long long rows(void)
{
    return hand_number("SELECT count(*) FROM window");
}

TEST(a_run_without_options_is_one_window_without_end)
{
    begin(&(struct run_options){0});
    tick(0);
    tick(1000000);
    CHECK(windows.is_on);
    end();
    CHECK_EQ(rows(), 1);
    CHECK_EQ(hand_number("SELECT start_ns = 0 AND end_ns IS NULL AND cause = 'run' FROM window"), 1);
}

TEST(a_window_begins_after_the_delay)
{
    begin(&(struct run_options){.delay_ms = DELAY});
    tick(DELAY - 1);
    CHECK(!windows.is_on);
    tick(DELAY);
    CHECK(windows.is_on);
    tick(1000000);
    CHECK(windows.is_on);
    end();
    CHECK_EQ(rows(), 1);
    CHECK_EQ(hand_number("SELECT start_ns > 0 AND end_ns IS NULL AND cause = 'delay' FROM window"), 1);
}

TEST(a_delay_that_is_over_does_not_start_twice)
{
    begin(&(struct run_options){.delay_ms = DELAY});
    tick(DELAY);
    windows_switch(&windows, false, "mark");
    tick(2 * DELAY);
    CHECK(!windows.is_on);
    end();
    CHECK_EQ(rows(), 1);
    CHECK_EQ(hand_number("SELECT end_ns >= start_ns FROM window"), 1);
}

TEST(a_window_ends_after_the_duration)
{
    begin(&(struct run_options){.duration_ms = DURATION});
    tick(DURATION - 1);
    CHECK(windows.is_on);
    tick(DURATION);
    CHECK(!windows.is_on);
    tick(2 * DURATION);
    end();
    CHECK_EQ(rows(), 1);
    CHECK_EQ(hand_number("SELECT end_ns > start_ns AND cause = 'run' FROM window"), 1);
}

TEST(a_duration_is_counted_from_the_end_of_the_delay)
{
    begin(&(struct run_options){.delay_ms = DELAY, .duration_ms = DURATION});
    tick(DELAY);
    tick(DURATION);
    CHECK(windows.is_on);
    tick(DELAY + DURATION);
    CHECK(!windows.is_on);
    end();
    CHECK_EQ(rows(), 1);
    CHECK_EQ(hand_number("SELECT end_ns >= start_ns AND cause = 'delay' FROM window"), 1);
}

TEST(a_paused_run_without_control_waits_for_a_mark)
{
    begin(&(struct run_options){.paused = true});
    tick(1000000);
    CHECK(!windows.is_on);
    windows_switch(&windows, true, "mark");
    tick(2000000);
    CHECK(windows.is_on);
    end();
    CHECK_EQ(rows(), 1);
    CHECK_EQ(hand_number("SELECT cause = 'mark' FROM window"), 1);
}
