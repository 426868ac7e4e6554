// SPDX-License-Identifier: Apache-2.0
// Which groups a thread's set has where open files run out. Software events take the place of the PMU's: the kernel
// counts them for any user.
#include "collectors/counters/counters.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { GROUPS = 4, THREADS = 40, LIMIT = 160, OF_ALL = 2 + 2 * GROUPS, OF_FIRST = 2 + 2 };

static struct counters counters;
static struct counter_set *sets[THREADS];

static size_t open_files(void)
{
    size_t count = 0;
    for (int fd = 0; fd < LIMIT; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void plan(void)
{
    static const struct event_entry classes[GROUPS] = {
        {.class = "demand_rd"}, {.class = "demand_rfo"}, {.class = "pf_l1"}, {.class = "pf_l2"}};
    struct perf_event_attr clock =
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1};
    const int fd = perf_event_open(&clock, 0, -1, -1);
    CHECK_SKIP_UNLESS(fd >= 0, "this machine forbids perf events");
    close(fd);
    counters = (struct counters){.group_count = GROUPS, .usable = GROUPS, .loads_group = -1, .exclude_kernel = true};
    for (int i = 0; i < GROUPS; i++) {
        struct counters_group *group = &counters.groups[i];
        group->count = 2;
        for (int j = 0; j < 2; j++) {
            struct perf_event_attr attr = {
                .type = PERF_TYPE_SOFTWARE,
                .config = j == 0 ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CONTEXT_SWITCHES,
                .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                .exclude_kernel = 1};
            group->events[j] = (struct counters_event){.source = &classes[i], .attr = attr};
        }
    }
}

static size_t open_all(void)
{
    size_t counted = 0;
    for (int i = 0; i < THREADS; i++) {
        sets[i] = counters_open(&counters, 0, -1, (struct counters_how){0});
        counted += sets[i] != NULL;
    }
    return counted;
}

static void close_all(void)
{
    for (int i = 0; i < THREADS; i++)
        if (sets[i])
            counters_close(sets[i]);
}

static bool has_group(const struct counter_set *set, int group)
{
    return set->groups[group].fds[0] >= 0 && set->groups[group].fds[1] >= 0;
}

TEST(a_set_holds_as_many_open_files_as_was_planned)
{
    plan();
    const size_t before = open_files();
    CHECK_EQ(counters_files(&counters, false), OF_ALL);
    CHECK_EQ(counters_files(&counters, true), OF_FIRST);
    struct counter_set *all = counters_open(&counters, 0, -1, (struct counters_how){0});
    CHECK(all != NULL);
    CHECK_EQ(open_files() - before, OF_ALL);
    struct counter_set *first = counters_open(&counters, 0, -1, (struct counters_how){.first_only = true});
    CHECK(first != NULL);
    CHECK_EQ(open_files() - before, OF_ALL + OF_FIRST);
    CHECK_EQ(counters.open_files, OF_ALL + OF_FIRST);
    counters_close(all);
    counters_close(first);
    CHECK_EQ(open_files(), before);
    CHECK_EQ(counters.open_files, 0);
}

// The kernel numbers events in the order of their opening (perf_event_id).
static int opened_first(const struct counter_set *set)
{
    int first = 0;
    for (int i = 1; i < GROUPS; i++)
        first = set->groups[i].ids[0] < set->groups[first].ids[0] ? i : first;
    return first;
}

TEST(threads_that_start_together_begin_with_other_groups)
{
    plan();
    for (int i = 0; i < 2 * GROUPS; i++) {
        struct counter_set *set = counters_open(&counters, 0, -1, (struct counters_how){0});
        CHECK(set != NULL);
        CHECK_EQ(opened_first(set), i % GROUPS);
        counters_close(set);
    }
}

TEST(where_open_files_run_out_events_are_left_out_before_threads)
{
    const struct rlimit limit = {.rlim_cur = LIMIT, .rlim_max = LIMIT};
    plan();
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    const size_t counted_with_all = open_all();
    CHECK(counted_with_all < LIMIT / OF_ALL + 1);
    CHECK_EQ(counters.refused, THREADS - counted_with_all);
    close_all();

    plan();
    counters.files_for_all = LIMIT / 2;
    const size_t counted = open_all(), with_all = LIMIT / 2 / OF_ALL;
    CHECK(counted > counted_with_all + 5);
    CHECK_EQ(counters.refused, THREADS - counted);
    CHECK_EQ(counters.reduced, counted - with_all);
    for (size_t i = 0; i < counted; i++) {
        CHECK(has_group(sets[i], 0));
        CHECK_EQ(has_group(sets[i], GROUPS - 1), i < with_all);
    }
    close_all();
    CHECK_EQ(counters.open_files, 0);
}

TEST(the_first_class_that_can_be_counted_is_the_one_that_stays)
{
    plan();
    counters.groups[0].error = -EINVAL;
    CHECK_EQ(counters_first_group(&counters), 1);
    struct counter_set *set = counters_open(&counters, 0, -1, (struct counters_how){.first_only = true});
    CHECK(set != NULL);
    CHECK(!has_group(set, 0));
    CHECK(has_group(set, 1));
    CHECK(!has_group(set, 2));
    counters_close(set);
}

TEST(local_and_remote_of_the_first_class_stay_together)
{
    static const struct event_entry remote = {.class = "demand_rd", .placement = "remote_dram"};
    plan();
    counters.groups[2].events[0].source = &remote; // a CPU with one offcore register
    CHECK_EQ(counters_files(&counters, true), OF_FIRST + 2);
    struct counter_set *set = counters_open(&counters, 0, -1, (struct counters_how){.first_only = true});
    CHECK(set != NULL);
    CHECK(has_group(set, 0) && has_group(set, 2));
    CHECK(!has_group(set, 1) && !has_group(set, 3));
    counters_close(set);
}

static int64_t ran_ns(void)
{
    struct timespec ran;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return ran.tv_sec * 1000000000 + ran.tv_nsec;
}

TEST(a_set_tells_what_its_thread_had_run_before)
{
    enum { BEFORE_NS = 50000000 };
    plan();
    while (ran_ns() < BEFORE_NS)
        continue;
    struct counter_set *set = counters_open(&counters, gettid(), -1, (struct counters_how){0});
    const int64_t latest = ran_ns();
    CHECK(set != NULL);
    while (ran_ns() < latest + BEFORE_NS)
        continue;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); // the kernel brings the thread's time up to date
    const int64_t before = counters_time_before(set);
    CHECK(before >= BEFORE_NS / 2);
    CHECK(before <= latest + BEFORE_NS / 2); // the clocks disagree on the time of each switch
    counters_close(set);
    plan();
    counters.paused = true;
    set = counters_open(&counters, gettid(), -1, (struct counters_how){0});
    CHECK(counters_time_before(set) >= latest); // of a window that is off: all of it
    counters_close(set);
}

static uint64_t enabled(int fd)
{
    uint64_t now[6] = {0}; // with a group's format the number of events comes first: perf_event_open(2)
    CHECK(read(fd, now, sizeof now) > 0);
    return now[1];
}

static _Atomic pid_t spinning;
static atomic_bool is_over;

static void *spin(void *unused)
{
    atomic_store(&spinning, gettid());
    while (!atomic_load(&is_over))
        ;
    return unused;
}

// Each call takes as long as the other CPU lets it wait: the clock must not tell of time that no group could count.
TEST(the_clock_runs_only_while_the_groups_do)
{
    pthread_t thread;
    uint64_t all = 0;
    plan();
    atomic_store(&counters.paused, true);
    CHECK_EQ(pthread_create(&thread, NULL, spin, NULL), 0);
    while (atomic_load(&spinning) == 0)
        sched_yield();
    struct counter_set *set = counters_open(&counters, spinning, -1, (struct counters_how){0});
    CHECK(set != NULL);
    // Where both share a CPU, the thread hardly runs in between.
    for (int i = 0; set && (i < 3000 || (all == 0 && i < 30000)); i++) {
        uint64_t group = enabled(set->groups[GROUPS - 1].fds[0]), clock = enabled(set->clock_fd);
        counters_switch(set, true);
        counters_switch(set, false);
        group = enabled(set->groups[GROUPS - 1].fds[0]) - group;
        clock = enabled(set->clock_fd) - clock;
        all += clock;
        CHECK(clock <= group);
    }
    counters_close(set);
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
}
