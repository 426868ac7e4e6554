// SPDX-License-Identifier: Apache-2.0
// Opening and closing a set of groups.
#include "collectors/counters/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// How long a timer runs: the pinned one all of the thread's time, a group's while the group has counters. Two slices of
// 4 ms, the kernel's default, and a part, so that readings do not keep step with them.
enum { COUNTERS_TIMER_NS = 10007000, COUNTERS_PINNED_TIMER_NS = 25013000 };

struct perf_event_attr counters_work_attributes(const struct counters *counters)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_HARDWARE,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .read_format = COUNTERS_READ_FORMAT,
        .exclude_kernel = counters->exclude_kernel,
        .exclude_hv = 1,
        .use_clockid = 1, // events of one group must have one clock
        .clockid = CLOCK_MONOTONIC,
    };
}

static void counters_close_group(struct counters_open_group *open)
{
    for (int i = 0; i < EVENT_PLAN_GROUP_EVENTS; i++) {
        if (open->fds[i] >= 0)
            close(open->fds[i]);
        open->fds[i] = -1;
    }
    if (open->work_fd >= 0)
        close(open->work_fd);
    open->work_fd = -1;
}

// The first sampled event that is opened maps the ring, while the allowance lasts; the others write there too.
static void counters_direct_samples(struct counter_set *set, const struct counters_group *group, int fd, int *ring_fd)
{
    if (*ring_fd >= 0) {
        perf_event_redirect(fd, *ring_fd);
        return;
    }
    size_t pages = COUNTERS_RING_PAGES;
    for (int sets = atomic_load(&set->counters->open_sets); sets > 64 && pages > 2; sets /= 4)
        pages /= 2;
    if (perf_event_map(&set->stream.ring, fd, pages) < 0)
        return; // it counts all the same
    *ring_fd = fd;
    set->stream.layout =
        (struct perf_layout){.sample_type = counters_sample_type(group), .regs_user = PERF_EVENT_REGS_USER};
}

static int counters_open_event(const struct counter_set *set, struct perf_event_attr *attr, int leader)
{
    return set->of_cgroup ? perf_event_open_cgroup(attr, set->tid, set->cpu, leader)
                          : perf_event_open(attr, set->tid, set->cpu, leader);
}

static int counters_open_group(struct counter_set *set, const struct counters_group *group,
                               struct counters_open_group *open, struct counters_how how, int *ring_fd)
{
    for (int i = 0; i < group->count; i++) {
        struct perf_event_attr attr = group->events[i].attr;
        attr.inherit = how.inherit;
        attr.disabled = i == 0 && !how.waits;
        open->pace.period = attr.sample_period ? attr.sample_period : open->pace.period;
        attr.enable_on_exec = i == 0 && how.on_exec && !atomic_load(&set->counters->paused);
        open->fds[i] = counters_open_event(set, &attr, i > 0 ? open->fds[0] : -1);
        if (open->fds[i] < 0) {
            int status = open->fds[i];
            counters_close_group(open);
            return status;
        }
        perf_event_id(open->fds[i], &open->ids[i]);
        if (group->events[i].sampled)
            counters_direct_samples(set, group, open->fds[i], ring_fd);
    }
    if (!group->with_work)
        return 0;
    struct perf_event_attr attr = counters_work_attributes(set->counters);
    attr.inherit = how.inherit;
    open->work_fd = counters_open_event(set, &attr, open->fds[0]);
    if (open->work_fd >= 0)
        return 0;
    int status = open->work_fd;
    counters_close_group(open);
    return status;
}

// --- what fits

static bool counters_is_of_threads(const struct counters_group *group)
{
    return group->error == 0 && !group->of_cpus;
}

int counters_first_group(const struct counters *counters)
{
    for (int i = 0; i < counters->group_count; i++)
        if (counters_is_of_threads(&counters->groups[i]))
            return i; // the loads' group is behind the others
    return -1;
}

// Whether the group is one of a set: of all sets, or also of those with the first class only. Where a CPU has one
// offcore register, local and remote of a class are two groups.
static bool counters_has_group(const struct counters *counters, int i, bool first_only)
{
    const int first = counters_first_group(counters);
    if (!counters_is_of_threads(&counters->groups[i]))
        return false;
    const struct event_entry *own = counters->groups[i].events[0].source,
        *kept = counters->groups[first].events[0].source;
    return !first_only || i == first || (own && kept && strcmp(own->class, kept->class) == 0);
}

size_t counters_files(const struct counters *counters, bool first_only)
{
    const size_t timers = counters->with_timers && !first_only;
    size_t count = 2 + (counters->with_work && !first_only) + timers; // task clock, migrations, instructions, timer
    for (int i = 0; i < counters->group_count; i++)
        if (counters_has_group(counters, i, first_only))
            count += (size_t)counters->groups[i].count + counters->groups[i].with_work * (1 + timers);
    return count;
}

// Open files are finite: one pair of counts of all threads says more than all counts of a few threads.
static void counters_reserve(struct counter_set *set, bool first_only)
{
    struct counters *counters = set->counters;
    const size_t all = counters_files(counters, false), first = counters_files(counters, true);
    set->files = all;
    const bool fits = atomic_fetch_add(&counters->open_files, all) + all <= counters->files_for_all;
    if (!first_only && (fits || counters->files_for_all == 0))
        return;
    set->files = first;
    atomic_fetch_sub(&counters->open_files, all - first);
    set->is_reduced = first < all;
}

// --- opening

static int counters_open_software(const struct counter_set *set, uint64_t config, struct counters_how how)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = how.inherit,
        .disabled = !how.waits,
        .enable_on_exec = how.on_exec && !atomic_load(&set->counters->paused),
        .exclude_kernel = set->counters->exclude_kernel,
    };
    return counters_open_event(set, &attr, -1);
}

// Without it, reports scale by time.
static void counters_open_work(struct counter_set *set, struct counters_how how)
{
    struct perf_event_attr attr = counters_work_attributes(set->counters);
    attr.pinned = 1;
    attr.disabled = !how.waits;
    attr.inherit = how.inherit;
    attr.enable_on_exec = how.on_exec && !atomic_load(&set->counters->paused);
    if (set->counters->with_work && !set->is_reduced)
        set->work_fd = counters_open_event(set, &attr, -1);
}

static struct counter_set *counters_new_set(struct counters *counters, pid_t tid, int cpu)
{
    struct counter_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    *set = (struct counter_set){.counters = counters, .tid = tid, .cpu = cpu, .last_cpu = -1, .clock_fd = -1,
                                .migrations_fd = -1, .work_fd = -1, .timer_fd = -1, .ring_fd = -1};
    for (int i = 0; i < COUNTERS_GROUPS; i++) {
        set->groups[i].work_fd = set->groups[i].timer_fd = set->groups[i].last_cpu = -1;
        for (int j = 0; j < EVENT_PLAN_GROUP_EVENTS; j++)
            set->groups[i].fds[j] = -1;
    }
    atomic_fetch_add(&counters->open_sets, 1);
    return set;
}

struct counter_set *counters_open(struct counters *counters, pid_t tid, int cpu, struct counters_how how)
{
    struct counter_set *set = counters_new_set(counters, tid, cpu);
    int ring_fd = -1, opened = 0, status = -ENOMEM;
    if (!set)
        return NULL;
    set->of_cgroup = how.of_cgroup;
    how.waits = how.waits && !atomic_load(&counters->paused);
    counters_reserve(set, how.first_only);
    set->clock_fd = counters_open_software(set, PERF_COUNT_SW_TASK_CLOCK, how);
    status = set->clock_fd < 0 ? set->clock_fd : 0;
    if (status == 0 && cpu < 0)
        set->migrations_fd = counters_open_software(set, PERF_COUNT_SW_CPU_MIGRATIONS, how);
    if (status == 0)
        counters_open_work(set, how);
    // The kernel's turns begin with what was opened first. Threads that start together and do the same would all lose
    // the same part of their work, and no error could be told from their differences.
    const unsigned turn = atomic_fetch_add(&counters->turn, 1);
    for (int n = 0; n < counters->group_count && status == 0; n++) {
        const int i = (int)((turn + (unsigned)n) % (unsigned)counters->group_count);
        if (!counters_has_group(counters, i, set->is_reduced))
            continue;
        status = counters_open_group(set, &counters->groups[i], &set->groups[i], how, &ring_fd);
        opened += status == 0;
    }
    if (status < 0) { // a set without its clock or its first class gives no ratio
        atomic_fetch_add(&counters->refused, 1);
        atomic_store(&counters->refused_error, status);
        counters_close(set);
        return NULL;
    }
    atomic_fetch_add(&counters->reduced, set->is_reduced);
    set->ring_fd = ring_fd;
    set->may_have_timers = cpu < 0 && !set->is_reduced;
    if (!how.on_exec && !how.waits && !atomic_load(&counters->paused))
        counters_switch(set, true);
    return set;
}

struct counter_set *counters_open_cpu(struct counters *counters, int cpu, int *error)
{
    const int ANYBODY = -1;
    struct counter_set *set = counters_new_set(counters, ANYBODY, cpu);
    int i = counters->loads_group, ring_fd = -1;
    *error = -ENOMEM;
    if (!set)
        return NULL;
    set->of_cpu = true;
    *error = counters_open_group(set, &counters->groups[i], &set->groups[i], (struct counters_how){0}, &ring_fd);
    if (*error < 0) {
        counters_close(set);
        return NULL;
    }
    if (!atomic_load(&counters->paused))
        counters_switch(set, true);
    return set;
}

bool counters_leave_out_last(struct counters *counters)
{
    int last = -1;
    for (int i = 0; i < counters->group_count; i++)
        if (counters->groups[i].error == 0 && (i != counters->loads_group || last < 0))
            last = i;
    if (counters->usable < 2 || last < 0)
        return false;
    counters->groups[last].error = -EMFILE;
    if (last == counters->loads_group)
        counters->loads_error = -EMFILE;
    counters->usable--;
    return true;
}

// --- timers

// The last event of its group: were it the leader, the kernel would have to move it to the PMU of the others, and wait
// for all CPUs.
static int counters_open_timer(const struct counter_set *set, uint64_t period_ns, int leader, uint64_t *id)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = period_ns,
        .sample_type = COUNTERS_TIMER_TYPE,
        .read_format = COUNTERS_READ_FORMAT,
        .exclude_kernel = set->counters->exclude_kernel,
        .exclude_hv = 1,
        .use_clockid = 1, // events of one group, and of one ring, must have one clock
        .clockid = CLOCK_MONOTONIC,
        .sample_id_all = 1,
        .watermark = 1,
        .wakeup_watermark = COUNTERS_RING_PAGES * 4096 / 4,
    };
    int fd = perf_event_open(&attr, set->tid, set->cpu, leader);
    if (fd < 0)
        return fd;
    if (perf_event_redirect(fd, set->ring_fd) == 0 && perf_event_id(fd, id) == 0)
        return fd;
    close(fd);
    return -EINVAL;
}

static void counters_close_timers(struct counter_set *set)
{
    for (int i = 0; i < set->counters->group_count; i++) {
        if (set->groups[i].timer_fd >= 0)
            close(set->groups[i].timer_fd);
        set->groups[i].timer_fd = -1;
    }
    if (set->timer_fd >= 0)
        close(set->timer_fd);
    set->timer_fd = -1;
}

bool counters_add_timers(struct counter_set *set)
{
    int status = 0;
    const bool may = set->may_have_timers && set->work_fd >= 0 && set->ring_fd >= 0 && set->stream.ring.control;
    set->may_have_timers = false;
    for (int i = 0; may && i < set->counters->group_count && status >= 0; i++) {
        struct counters_open_group *open = &set->groups[i];
        if (open->work_fd >= 0)
            status = open->timer_fd = counters_open_timer(set, COUNTERS_TIMER_NS, open->fds[0], &open->timer_id);
    }
    if (may && status >= 0)
        set->timer_fd = counters_open_timer(set, COUNTERS_PINNED_TIMER_NS, set->work_fd, &set->timer_id);
    if (set->timer_fd < 0)
        counters_close_timers(set);
    return set->timer_fd >= 0;
}

void counters_close(struct counter_set *set)
{
    for (int i = 0; i < COUNTERS_GROUPS; i++)
        counters_close_group(&set->groups[i]);
    perf_ring_unmap(&set->stream.ring);
    if (set->clock_fd >= 0)
        close(set->clock_fd);
    if (set->migrations_fd >= 0)
        close(set->migrations_fd);
    if (set->work_fd >= 0)
        close(set->work_fd);
    counters_close_timers(set);
    atomic_fetch_sub(&set->counters->open_sets, 1);
    atomic_fetch_sub(&set->counters->open_files, set->files);
    free(set);
}

static void counters_switch_clock(const struct counter_set *set, int (*change)(int fd))
{
    const int fds[] = {set->clock_fd, set->migrations_fd, set->work_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            change(fds[i]);
}

// The clock tells how much of the time the groups missed: it runs only while they do, also where the recorder has to
// wait for a CPU between two of these calls.
void counters_switch(struct counter_set *set, bool on)
{
    int (*change)(int fd) = on ? perf_event_enable : perf_event_disable;
    if (!on)
        counters_switch_clock(set, change);
    for (int i = 0; i < set->counters->group_count; i++)
        if (set->groups[i].fds[0] >= 0) // the leader takes its group along
            change(set->groups[i].fds[0]);
    if (on)
        counters_switch_clock(set, change);
}
