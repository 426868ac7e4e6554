// SPDX-License-Identifier: Apache-2.0
// Reads the counts of a set, and takes its samples.
#include "collectors/counters/counters.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/processes/thread_time.h"
#include "core/process/process_stat.h"

// Changes since the last reading.
struct counters_delta {
    uint64_t value, enabled, running;
    bool has_work;
    uint64_t work; // instructions
};

static void counters_write(struct counter_set *set, int64_t event, int cpu, uint64_t time,
                           const struct counters_delta *delta)
{
    if (set->of_cpu || (delta->value == 0 && delta->enabled == 0 && delta->running == 0))
        return;
    struct counters *counters = set->counters;
    if (!counters->queue)
        return;
    counters->rows++;
    RECORD(counters->queue, RECORDING_COUNT, RECORD_NUMBER(event),
           set->thread ? RECORD_NUMBER(set->thread) : RECORD_NULL,
           RECORD_KNOWN(cpu), RECORD_NUMBER(tasks_time(counters->tasks, time)),
           RECORD_NUMBER(delta->value), RECORD_NUMBER(delta->enabled), RECORD_NUMBER(delta->running),
           delta->has_work ? RECORD_NUMBER(delta->work) : RECORD_NULL);
}

// Layout of a group's read(2) with these formats: perf_event_open(2).
struct counters_values {
    // Behind the events the group's work, then a timer's.
    uint64_t count, enabled, running, values[EVENT_PLAN_GROUP_EVENTS + 2];
};

static bool counters_read_values(int fd, uint64_t count, struct counters_values *now)
{
    return fd >= 0 && read(fd, now, sizeof *now) > 0 && now->count == count;
}

static uint64_t counters_group_size(const struct counter_set *set, int i)
{
    const struct counters_group *group = &set->counters->groups[i];
    return (uint64_t)group->count + group->with_work + (set->groups[i].timer_fd >= 0);
}

static void counters_group_said(struct counter_set *set, int i, int cpu, uint64_t time,
                                const struct counters_values *now)
{
    struct counters_open_group *open = &set->groups[i];
    const struct counters_group *group = &set->counters->groups[i];
    uint64_t work = group->with_work ? now->values[group->count] : 0;
    for (int j = 0; j < group->count; j++) {
        const struct counters_delta delta = {.value = now->values[j] - open->values[j],
                                             .enabled = now->enabled - open->enabled,
                                             .running = now->running - open->running,
                                             .has_work = group->with_work,
                                             .work = work - open->work};
        counters_write(set, group->events[j].id, cpu, time, &delta);
        if (group->events[j].sampled)
            open->pace.now.events += delta.value;
        open->values[j] = now->values[j];
    }
    open->pace.now.ns += now->running - open->running;
    open->enabled = now->enabled;
    open->running = now->running;
    open->work = work;
}

static void counters_read_group(struct counter_set *set, int i, int cpu, uint64_t time)
{
    struct counters_values now;
    if (counters_read_values(set->groups[i].fds[0], counters_group_size(set, i), &now))
        counters_group_said(set, i, cpu, time, &now);
}

static bool counters_read_one(int fd, uint64_t values[3])
{
    return fd >= 0 && read(fd, values, 3 * sizeof *values) == 3 * sizeof *values;
}

// Positions in the pinned group of a set.
enum { WORK_INSTRUCTIONS, WORK_WITH_TIMER = 2 };

// Pinned events count the same time as the clock, but for the moments between their starts.
static uint64_t counters_since(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

// work NULL: not known. clock: value, time enabled, time running.
static void counters_clock_said(struct counter_set *set, const uint64_t clock[3], const uint64_t *work, int cpu,
                                uint64_t time)
{
    const struct counters_delta delta = {.value = counters_since(clock[0], set->clock_ns),
                                         .enabled = counters_since(clock[1], set->clock_enabled),
                                         .running = counters_since(clock[2], set->clock_running),
                                         .has_work = work != NULL,
                                         .work = work ? *work - set->work : 0};
    counters_write(set, set->counters->clock_id, cpu, time, &delta);
    set->clock_ns += delta.value;
    set->clock_enabled += delta.enabled;
    set->clock_running += delta.running;
    set->work += delta.work;
}

static void counters_read_clock(struct counter_set *set, const uint64_t clock[3], int cpu, uint64_t time)
{
    struct counters_values now = {0};
    // read() gives no bytes for a pinned event that lost its counter: its count is not a total then.
    const uint64_t events = set->timer_fd >= 0 ? WORK_WITH_TIMER : 1;
    bool has_work = counters_read_values(set->work_fd, events, &now) && now.running == now.enabled;
    counters_clock_said(set, clock, has_work ? &now.values[WORK_INSTRUCTIONS] : NULL, cpu, time);
}

// Field 39 of /proc/PID/stat: the CPU a thread last ran on (proc(5)).
static int counters_current_cpu(pid_t tid)
{
    char text[512];
    const char *at;
    if (process_stat_read(text, sizeof text, &at, tid) < 0)
        return -1;
    for (int field = 3; at && field < 39; field++)
        at = strchr(at + 1, ' ');
    return at ? atoi(at) : -1;
}

// The CPU of all counts of this interval; -1 if the thread moved.
static int counters_cpu_of_interval(struct counter_set *set, int planned_cpu)
{
    uint64_t now[3] = {0};
    if (set->cpu >= 0)
        return set->cpu;
    bool known = counters_read_one(set->migrations_fd, now);
    bool moved = !known || now[0] != set->migrations;
    set->migrations = known ? now[0] : set->migrations;
    int here = planned_cpu >= 0 && !moved ? planned_cpu : counters_current_cpu(set->tid);
    int before = set->last_cpu;
    set->last_cpu = here;
    return moved || (before >= 0 && before != here) ? -1 : here;
}

bool counters_read(struct counter_set *set, int planned_cpu, uint64_t time)
{
    uint64_t clock[3];
    if (set->of_cpu) {
        counters_read_group(set, set->counters->loads_group, set->cpu, time);
        return true;
    }
    if (!counters_read_one(set->clock_fd, clock) || clock[0] <= set->clock_ns)
        return false;
    int cpu = counters_cpu_of_interval(set, planned_cpu);
    counters_read_clock(set, clock, cpu, time);
    for (int i = 0; i < set->counters->group_count; i++)
        counters_read_group(set, i, cpu, time);
    return true;
}

int64_t counters_time_before(const struct counter_set *set)
{
    uint64_t clock[3];
    const int64_t shown = thread_time_shown(set->tid, set->tid); // /proc has a folder for each thread's number
    if (shown < 0 || !counters_read_one(set->clock_fd, clock))
        return -1;
    return (uint64_t)shown > clock[0] ? shown - (int64_t)clock[0] : 0;
}

// --- readings by timers

static uint64_t counters_record_id(const struct perf_event_header *header)
{
    uint64_t id = 0; // the identifier comes first: perf_event_open(2)
    if (header->type == PERF_RECORD_SAMPLE && header->size >= sizeof *header + sizeof id)
        memcpy(&id, header + 1, sizeof id);
    return id;
}

// The group that the timer is in, -1: none.
static int counters_group_of_timer(const struct counter_set *set, uint64_t id)
{
    for (int i = 0; i < set->counters->group_count; i++)
        if (set->groups[i].timer_id == id)
            return i;
    return -1;
}

bool counters_is_timers(const struct counter_set *set, const struct perf_event_header *header)
{
    const uint64_t id = counters_record_id(header);
    return id != 0 && (id == set->timer_id || counters_group_of_timer(set, id) >= 0);
}

// Of all that was counted since the timer told last, -1: not known. A thread that moved away and back meanwhile passes
// for one that stayed; the next reading by read(2) knows of that.
static int counters_timed_cpu(int *last_cpu, const struct perf_sample *sample)
{
    const bool moved = *last_cpu >= 0 && *last_cpu != (int)sample->cpu;
    *last_cpu = (int)sample->cpu;
    return moved ? -1 : (int)sample->cpu;
}

// read(2) may have come first: the record is then of the past. A pinned event that lost time, as adding the timer to it
// can cost, is no clock any more: a set that has none passes for one without timers, and is read.
static void counters_take_timed_work(struct counter_set *set, const struct perf_sample *sample,
                                     const struct counters_values *now, uint64_t least_ns)
{
    const uint64_t clock[] = {now->running, now->enabled, now->running}; // a pinned event runs while the thread does
    if (now->running != now->enabled)
        return;
    set->timed_at = sample->time;
    if (clock[0] <= set->clock_ns || now->values[WORK_INSTRUCTIONS] < set->work ||
        sample->time - set->clock_at < least_ns)
        return;
    counters_clock_said(set, clock, &now->values[WORK_INSTRUCTIONS], counters_timed_cpu(&set->last_cpu, sample),
                        sample->time);
    set->clock_at = sample->time;
}

static void counters_take_timed_group(struct counter_set *set, int i, const struct perf_sample *sample,
                                      const struct counters_values *now, uint64_t least_ns)
{
    struct counters_open_group *open = &set->groups[i];
    if (now->running <= open->running || sample->time - open->read_at < least_ns)
        return;
    counters_group_said(set, i, counters_timed_cpu(&open->last_cpu, sample), sample->time, now);
    open->read_at = sample->time;
}

bool counters_take_timer(struct counter_set *set, const struct perf_event_header *header, uint64_t least_ns)
{
    const struct perf_layout layout = {.sample_type = COUNTERS_TIMER_TYPE, .read_format = COUNTERS_READ_FORMAT};
    struct perf_sample sample;
    struct counters_values now;
    if (set->timer_fd < 0)
        return true; // timers were given up after it: the thread ended, or files ran out, while they were opened
    if (perf_record_sample(header, &layout, &sample) < 0)
        return false;
    const int group = counters_group_of_timer(set, sample.id);
    const uint64_t count = group >= 0 ? counters_group_size(set, group) : WORK_WITH_TIMER;
    if (sample.group[0] != count)
        return false;
    memcpy(&now, sample.group, sample.group_words * sizeof *sample.group);
    if (group >= 0)
        counters_take_timed_group(set, group, &sample, &now, least_ns);
    else
        counters_take_timed_work(set, &sample, &now, least_ns);
    return true;
}

// --- samples

// Adapts the period by the time in which the group had counters, so that sampling does not slow its time slices more
// than those of other groups.
static void counters_adapt_group(const struct counters_group *group, struct counters_open_group *open)
{
    uint64_t period = counters_period_wanted(&open->pace, (uint64_t)group->samples_per_s);
    if (period == open->pace.period)
        return;
    if (group->of_cpus && period < group->first_period)
        period = group->first_period; // a CPU that idled may be busy at once
    period = counters_period_allowed(period, group->least_period, group->period_step);
    if (period == open->pace.period)
        return;
    int status = 0;
    for (int i = 0; i < group->count && status == 0; i++)
        if (open->fds[i] >= 0 && group->events[i].sampled)
            status = perf_event_set_period(open->fds[i], period);
    if (status == 0)
        open->pace.period = period; // else the event keeps the one that it has
}

void counters_adapt(struct counter_set *set)
{
    for (int i = 0; i < set->counters->group_count; i++)
        counters_adapt_group(&set->counters->groups[i], &set->groups[i]);
}

static const struct counters_event *counters_event_of(const struct counter_set *set, uint64_t perf_id)
{
    for (int i = 0; i < set->counters->group_count; i++)
        for (int j = 0; j < set->counters->groups[i].count; j++)
            if (set->groups[i].fds[j] >= 0 && set->groups[i].ids[j] == perf_id)
                return &set->counters->groups[i].events[j];
    return NULL;
}

void counters_take(struct counter_set *set, const struct perf_sample *sample, const struct thread *thread,
                   int64_t stack)
{
    const struct counters_event *event = counters_event_of(set, sample->id);
    if (!event)
        return;
    if (!event->source) {
        const struct loads_origin origin = {.event = event->id, .source = event->load_source};
        if (!sample->in_kernel || !set->counters->exclude_kernel)
            loads_take(set->counters->loads, sample, origin, thread, stack);
        return;
    }
    struct samples_row row = samples_row(RECORDING_KIND_OVERFLOW, event->id,
                                         tasks_time(set->counters->tasks, sample->time), thread->id, sample->period);
    row.cpu = sample->cpu;
    row.stack = stack;
    row.source = event->answered_by;
    samples_put(set->counters->samples, &row);
}
