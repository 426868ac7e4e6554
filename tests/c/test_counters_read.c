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

static void begin(void)
{
    tasks = (struct tasks){.queue = hand_recording(), .epoch = 1000};
    counters = (struct counters){
        .queue = tasks.queue, .tasks = &tasks, .group_count = 1, .clock_id = CLOCK, .loads_group = -1,
        .groups[0] = {.count = 2, .samples_per_s = 100,
                      .events = {{.id = FIRST_EVENT, .source = &local_dram}, {.id = FIRST_EVENT + 1, .source = &local_dram}}}};
    set = (struct counter_set){.counters = &counters, .cpu = -1, .thread = 1, .last_cpu = CPU, .work_fd = -1,
                               .clock_fd = memfd_create("clock", 0), .migrations_fd = memfd_create("migrations", 0)};
    set.groups[0].fds[0] = memfd_create("group", 0);
    set.groups[0].fds[1] = set.groups[0].work_fd = -1;
}

static void end(void)
{
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

TEST(a_reading_writes_what_was_counted_since_the_last_one)
{
    begin();
    clock_says(100);
    give(set.groups[0].fds[0], (const uint64_t[]){2, 80, 40, 1000, 7}, 5);
    CHECK(counters_read(&set, CPU, 2000));
    clock_says(300);
    give(set.groups[0].fds[0], (const uint64_t[]){2, 280, 140, 5000, 7}, 5);
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
    clock_says(100);
    give(set.groups[0].fds[0], (const uint64_t[]){2, 80, 40, 1000, 7}, 5);
    CHECK(counters_read(&set, CPU, 2000));
    clock_says(100);
    CHECK(!counters_read(&set, CPU, 3000));
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE t_ns = 2000"), 0);
}

TEST(a_group_whose_reading_has_another_size_is_not_believed)
{
    begin();
    clock_says(100);
    give(set.groups[0].fds[0], (const uint64_t[]){3, 80, 40, 1000, 7, 9}, 6);
    CHECK(counters_read(&set, CPU, 2000));
    end();
    CHECK_EQ(hand_number("SELECT count(*) FROM count WHERE event = 5"), 0);
}
