// SPDX-License-Identifier: Apache-2.0
// Opening and closing a set of groups.
#include "collectors/counters/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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
static void counters_direct_samples(struct counter_set *set, int fd, int *ring_fd)
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
    set->stream.layout = (struct perf_layout){.sample_type = COUNTERS_SAMPLE_TYPE, .regs_user = PERF_EVENT_REGS_USER};
}

static int counters_open_group(struct counter_set *set, const struct counters_group *group,
                               struct counters_open_group *open, struct counters_how how, int *ring_fd)
{
    for (int i = 0; i < group->count; i++) {
        struct perf_event_attr attr = group->events[i].attr;
        attr.inherit = how.inherit;
        attr.disabled = i == 0;
        open->period = attr.sample_period ? attr.sample_period : open->period;
        attr.enable_on_exec = i == 0 && how.on_exec && !atomic_load(&set->counters->paused);
        open->fds[i] = perf_event_open(&attr, set->tid, set->cpu, i > 0 ? open->fds[0] : -1);
        if (open->fds[i] < 0) {
            int status = open->fds[i];
            counters_close_group(open);
            return status;
        }
        perf_event_id(open->fds[i], &open->ids[i]);
        if (group->events[i].sampled)
            counters_direct_samples(set, open->fds[i], ring_fd);
    }
    if (!group->with_work)
        return 0;
    struct perf_event_attr attr = counters_work_attributes(set->counters);
    attr.inherit = how.inherit;
    open->work_fd = perf_event_open(&attr, set->tid, set->cpu, open->fds[0]);
    if (open->work_fd >= 0)
        return 0;
    int status = open->work_fd;
    counters_close_group(open);
    return status;
}

// Without it, reports scale by time.
static void counters_open_work(struct counter_set *set, struct counters_how how)
{
    struct perf_event_attr attr = counters_work_attributes(set->counters);
    attr.pinned = 1;
    attr.disabled = 1;
    attr.inherit = how.inherit;
    attr.enable_on_exec = how.on_exec && !atomic_load(&set->counters->paused);
    if (set->counters->with_work)
        set->work_fd = perf_event_open(&attr, set->tid, set->cpu, -1);
}

static int counters_open_software(const struct counter_set *set, uint64_t config, struct counters_how how)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = how.inherit,
        .disabled = 1,
        .enable_on_exec = how.on_exec && !atomic_load(&set->counters->paused),
        .exclude_kernel = set->counters->exclude_kernel,
    };
    return perf_event_open(&attr, set->tid, set->cpu, -1);
}

static struct counter_set *counters_new_set(struct counters *counters, pid_t tid, int cpu)
{
    struct counter_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    *set = (struct counter_set){.counters = counters, .tid = tid, .cpu = cpu, .last_cpu = -1, .clock_fd = -1,
                                .migrations_fd = -1, .work_fd = -1};
    for (int i = 0; i < COUNTERS_GROUPS; i++) {
        set->groups[i].work_fd = -1;
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
    set->clock_fd = counters_open_software(set, PERF_COUNT_SW_TASK_CLOCK, how);
    status = set->clock_fd < 0 ? set->clock_fd : 0;
    if (status == 0 && !how.inherit)
        set->migrations_fd = counters_open_software(set, PERF_COUNT_SW_CPU_MIGRATIONS, how);
    if (status == 0)
        counters_open_work(set, how);
    for (int i = 0; i < counters->group_count && status == 0; i++) {
        if (counters->groups[i].error < 0 || counters->groups[i].of_cpus)
            continue;
        status = counters_open_group(set, &counters->groups[i], &set->groups[i], how, &ring_fd);
        opened += status == 0;
    }
    if (status < 0) { // all or nothing: a set with some of its groups would give ratios of different populations
        atomic_fetch_add(&counters->refused, 1);
        atomic_store(&counters->refused_error, status);
        counters_close(set);
        return NULL;
    }
    if (!how.on_exec && !atomic_load(&counters->paused))
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
    atomic_fetch_sub(&set->counters->open_sets, 1);
    free(set);
}

void counters_switch(struct counter_set *set, bool on)
{
    int (*change)(int fd) = on ? perf_event_enable : perf_event_disable;
    for (int i = 0; i < set->counters->group_count; i++)
        if (set->groups[i].fds[0] >= 0) // the leader takes its group along
            change(set->groups[i].fds[0]);
    if (set->clock_fd >= 0)
        change(set->clock_fd);
    if (set->migrations_fd >= 0)
        change(set->migrations_fd);
    if (set->work_fd >= 0)
        change(set->work_fd);
}
