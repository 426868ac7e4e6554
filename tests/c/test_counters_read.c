// SPDX-License-Identifier: Apache-2.0
// Counter readings: what read(2) of a group gives, as rows. Files take the place of the kernel's descriptors.
#include "collectors/counters/counters.h"

#include "hand_made.h"

enum { CPU = 3, CLOCK = 90, FIRST_EVENT = 5 };

static struct tasks tasks;
static struct counters counters;
static struct counter_set set;

static const struct event_entry local_dram = {.class = "demand_rd", .placement = "local_dram"};

static void give(int fd, const uint64_t *words, size_t count)
{
    CHECK_EQ(pwrite(fd, words, count * sizeof *words, 0), (ssize_t)(count * sizeof *words));
    CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
}

static void clock_says(uint64_t ns)
{
    give(set.clock_fd, (const uint64_t[]){ns, ns, ns}, 3);
    give(set.migrations_fd, (const uint64_t[]){0, ns, ns}, 3);
}

static void group_says(const uint64_t *words, size_t count)
{
    give(set.groups[0].fds[0], words, count);
}

#define GROUP_SAYS(...) group_says((const uint64_t[]){__VA_ARGS__}, \
                                   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void begin(void)
{
    tasks = (struct tasks){.queue = hand_recording(), .epoch = 1000};
    counters = (struct counters){
        .queue = tasks.queue, .tasks = &tasks, .group_count = 1, .clock_id = CLOCK, .loads_group = -1,
        .groups[0] = {.count = 2, .samples_per_s = 100,
                      .events = {{.id = FIRST_EVENT, .source = &local_dram},
                                 {.id = FIRST_EVENT + 1, .source = &local_dram}}}};
    set = (struct counter_set){.counters = &counters, .cpu = -1, .thread = 1, .last_cpu = CPU, .work_fd = -1,
                               .timer_fd = -1,
                               .clock_fd = memfd_create("clock", 0), .migrations_fd = memfd_create("migrations", 0)};
    set.groups[0].fds[0] = memfd_create("group", 0);
    set.groups[0].fds[1] = set.groups[0].work_fd = set.groups[0].timer_fd = set.groups[0].last_cpu = -1;
}

static void read_first(void)
{
    clock_says(100);
    GROUP_SAYS(2, 80, 40, 1000, 7);
    CHECK(counters_read(&set, CPU, 2000));
}

static void end(void)
{
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

TEST(a_reading_writes_what_was_counted_since_the_last_one)
{
    begin();
    read_first();
    clock_says(300);
    GROUP_SAYS(2, 280, 140, 5000, 7);
    CHECK(counters_read(&set, CPU, 3000));
    end();
    CHECK_EQ(hand_number("SELECT value FROM count WHERE event = 5 AND t_ns = 1000"), 1000);
    CHECK_EQ(hand_number("SELECT value FROM count WHERE event = 5 AND t_ns = 2000"), 4000);
    CHECK_EQ(hand_number("SELECT running_ns FROM count WHERE event = 5 AND t_ns = 2000"), 100);
    CHECK_EQ(hand_number("SELECT enabled_ns FROM count WHERE event = 6 AND t_ns = 2000"), 200);
    CHECK_EQ(hand_number("SELECT sum(value) FROM count WHERE event = 90"), 300);
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE cpu = 3"), 6);
}

TEST(a_thread_that_did_not_run_writes_nothing)
{
    begin();
    read_first();
    clock_says(100);
    CHECK(!counters_read(&set, CPU, 3000));
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE t_ns = 2000"), 0);
}

TEST(a_group_whose_reading_has_another_size_is_not_believed)
{
    begin();
    clock_says(100);
    GROUP_SAYS(3, 80, 40, 1000, 7, 9);
    CHECK(counters_read(&set, CPU, 2000));
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE event = 5"), 0);
}

// --- readings by timers

enum { CLOCK_TIMER = 71, GROUP_TIMER = 72, TIMER_FD = 1000 };

static void begin_timed(void)
{
    begin();
    counters.groups[0].with_work = true;
    set.timer_fd = set.groups[0].timer_fd = TIMER_FD; // nothing reads it
    set.timer_id = CLOCK_TIMER;
    set.groups[0].timer_id = GROUP_TIMER;
}

static uint64_t pinned_lost; // time in which the clock's timer had no counter

// Layout of COUNTERS_TIMER_TYPE: perf_event_open(2).
struct timer_record {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, reserved;
    uint64_t count, enabled, running, values[4];
};

static bool tell(uint64_t id, uint64_t time, uint32_t cpu, uint64_t running, uint64_t count, const uint64_t *values)
{
    struct timer_record record =
        {.id = id, .time = time, .cpu = cpu, .count = count, .enabled = 2 * running, .running = running};
    if (id == CLOCK_TIMER)
        record.enabled = running + pinned_lost; // it is pinned
    memcpy(record.values, values, count * sizeof *values);
    record.header = (struct perf_event_header){.type = PERF_RECORD_SAMPLE,
                                               .size = (uint16_t)(sizeof record - (4 - count) * sizeof *values)};
    CHECK(counters_is_timers(&set, &record.header));
    return counters_take_timer(&set, &record.header, 10);
}

#define VALUES(...) (sizeof((const uint64_t[]){__VA_ARGS__}) / 8), (const uint64_t[]){__VA_ARGS__}

TEST(timers_write_the_rows_that_readings_write)
{
    begin_timed();
    CHECK(tell(CLOCK_TIMER, 2000, CPU, 100, VALUES(5000, 100)));
    CHECK(tell(GROUP_TIMER, 2005, CPU, 40, VALUES(1000, 7, 2000, 40)));
    CHECK(tell(GROUP_TIMER, 3005, CPU, 140, VALUES(5000, 7, 9000, 140)));
    CHECK(tell(CLOCK_TIMER, 4000, CPU, 400, VALUES(15000, 400)));
    end();
    CHECK_EQ(hand_number("SELECT value FROM count WHERE event = 5 AND t_ns = 2005"), 4000);
    CHECK_EQ(hand_number("SELECT running_ns FROM count WHERE event = 6 AND t_ns = 2005"), 100);
    CHECK_EQ(hand_number("SELECT work FROM count WHERE event = 5 AND t_ns = 2005"), 7000);
    CHECK_EQ(hand_number("SELECT sum(value) FROM count WHERE event = 90"), 400);
    CHECK_EQ(hand_number("SELECT work FROM count WHERE event = 90 AND t_ns = 3000"), 10000);
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE cpu = 3"), 6);
}

TEST(a_thread_that_moved_between_two_timers_gives_rows_of_no_cpu)
{
    begin_timed();
    CHECK(tell(CLOCK_TIMER, 2000, CPU, 100, VALUES(5000, 100)));
    CHECK(tell(GROUP_TIMER, 2001, CPU, 40, VALUES(1000, 7, 2000, 40)));
    CHECK(tell(CLOCK_TIMER, 3000, CPU + 1, 200, VALUES(6000, 200)));
    CHECK(tell(GROUP_TIMER, 3001, CPU + 1, 80, VALUES(2000, 9, 4000, 80)));
    CHECK(tell(GROUP_TIMER, 4001, CPU + 1, 90, VALUES(3000, 10, 5000, 90)));
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE cpu = 3 AND t_ns <= 1001"), 3);
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE cpu IS NULL AND t_ns IN (2000, 2001)"), 3);
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE cpu = 4 AND t_ns = 3001"), 2);
}

TEST(a_timer_that_comes_too_soon_or_after_the_last_reading_writes_nothing_and_loses_nothing)
{
    begin_timed();
    CHECK(tell(GROUP_TIMER, 2000, CPU, 40, VALUES(1000, 7, 2000, 40)));
    CHECK(tell(GROUP_TIMER, 2005, CPU, 50, VALUES(1500, 7, 2500, 50)));
    clock_says(100);
    GROUP_SAYS(4, 280, 140, 5000, 7, 9000, 60);
    CHECK(counters_read(&set, CPU, 3000));
    CHECK(tell(GROUP_TIMER, 2900, CPU, 130, VALUES(4500, 7, 8000, 130)));
    CHECK(tell(CLOCK_TIMER, 2900, CPU, 90, VALUES(800, 90)));
    end();
    CHECK_EQ(hand_number("SELECT sum(value) FROM count WHERE event = 5"), 5000);
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE event = 5"), 2);
    CHECK_EQ(hand_number("SELECT sum(value) FROM count WHERE event = 90"), 100);
}

// A thread ended, on a busy machine, when one of its timers was open and had told, and the next one was not.
TEST(what_timers_told_before_they_were_given_up_is_neither_believed_nor_malformed)
{
    begin_timed();
    set.timer_fd = set.groups[0].timer_fd = -1;
    CHECK(tell(GROUP_TIMER, 2000, CPU, 40, VALUES(1000, 7, 2000, 40)));
    CHECK(tell(CLOCK_TIMER, 2000, CPU, 100, VALUES(5000, 100)));
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM count"), 0);
}

// The recorder leaves out sets whose timer told lately: of this one nobody else would read the clock. What a group lost
// is part of the time that it missed.
TEST(a_clock_whose_timer_lost_time_is_read)
{
    begin_timed();
    CHECK(tell(CLOCK_TIMER, 2000, CPU, 100, VALUES(5000, 100)));
    CHECK_EQ(set.timed_at, 2000);
    pinned_lost = 21;
    CHECK(tell(CLOCK_TIMER, 3000, CPU, 200, VALUES(15000, 200)));
    CHECK_EQ(set.timed_at, 2000);
    CHECK(tell(GROUP_TIMER, 3005, CPU, 200, VALUES(1000, 7, 15000, 200)));
    clock_says(221);
    CHECK(counters_read(&set, CPU, 3010));
    pinned_lost = 0;
    end();
    CHECK_EQ(hand_number("SELECT sum(value) FROM count WHERE event = 90"), 221);
    CHECK_EQ(hand_number("SELECT sum(running_ns) FROM count WHERE event = 5"), 200);
}

TEST(a_timer_of_another_size_is_not_believed)
{
    begin_timed();
    CHECK(!tell(GROUP_TIMER, 2000, CPU, 40, VALUES(1000, 7, 40)));
    CHECK(!tell(CLOCK_TIMER, 2000, CPU, 40, VALUES(40)));
    const struct perf_event_header other = {.type = PERF_RECORD_LOST, .size = sizeof(struct timer_record)};
    CHECK(!counters_is_timers(&set, &other));
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM count"), 0);
}
