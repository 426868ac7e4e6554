// SPDX-License-Identifier: Apache-2.0
#include "collectors/counters/counters.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collectors/events/event_encode.h"
#include "collectors/perf/perf_context.h"
#include "event_words.h"

// Of a thread. In the emulated machine a sample takes a thousand times as long as on hardware, some of it in the
// sampled events' turn: many would make that turn poorer than the others, and the share it measures wrong.
enum { COUNTERS_SAMPLES_PER_S = 400, COUNTERS_EMULATED_PER_S = 50 };

// --- what can be counted

static bool counters_is_remote(const struct event_entry *event)
{
    return strncmp(event->placement, "remote", 6) == 0 && !event_catalogue_is_slow(event);
}

static enum recording_source counters_source(const struct event_entry *event)
{
    return strstr(event->placement, "dram") ? RECORDING_SOURCE_REMOTE_DRAM : RECORDING_SOURCE_REMOTE_CACHE;
}

uint64_t counters_sample_type(const struct counters_group *group)
{
    return COUNTERS_SAMPLE_TYPE | (group->with_registers ? PERF_SAMPLE_RAW : 0);
}

static void counters_set_attributes(const struct counters *counters, const struct counters_group *group,
                                    struct counters_event *event)
{
    struct perf_event_attr *attr = &event->attr;
    attr->read_format = COUNTERS_READ_FORMAT;
    attr->exclude_kernel = counters->exclude_kernel && !group->with_kernel;
    attr->exclude_hv = event->source != NULL; // IBS knows no hypervisor to exclude
    attr->use_clockid = 1;
    attr->clockid = CLOCK_MONOTONIC;
    if (!event->sampled)
        return;
    attr->sample_type = counters_sample_type(group);
    attr->sample_period = group->first_period - group->first_period % group->period_step;
    attr->sample_regs_user = PERF_EVENT_REGS_USER;
    attr->sample_stack_user = COUNTERS_STACK_BYTES;
    attr->exclude_callchain_kernel = 1;
    attr->sample_id_all = 1;
    attr->watermark = 1;
    attr->wakeup_watermark = COUNTERS_RING_PAGES * 4096 / 4;
}

// Each event may need a general counter: the fixed one of the instructions is taken by the pinned event.
static bool counters_has_room(const struct event_cpu *cpu, const struct counters_group *group)
{
    return group->events[0].source && group->count + 1 + cpu->watchdog_takes_one <= cpu->counters;
}

// Whether this process can count instructions beside the open group of leader; -1: pinned, in a group of its own.
static bool counters_try_work(const struct counters *counters, int leader)
{
    struct perf_event_attr attr = counters_work_attributes(counters);
    attr.disabled = 1;
    attr.pinned = leader < 0;
    int fd = perf_event_open(&attr, 0, -1, leader);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool counters_is_dram(const char *placement)
{
    return strcmp(placement, EVENT_LOCAL_DRAM) == 0 || strcmp(placement, EVENT_REMOTE_DRAM) == 0;
}

// Local and remote of one class are of use together only.
static bool counters_is_made_wrong(const struct counters_event *event, const struct counters_wrong *wrong)
{
    if (!event->source)
        return strcmp(wrong->class, "loads") == 0 && wrong->config == event->attr.config;
    if (strcmp(wrong->class, event->source->class) != 0)
        return false;
    return (wrong->config == event->attr.config && wrong->config1 == event->attr.config1) ||
           (counters_is_dram(wrong->placement) && counters_is_dram(event->source->placement));
}

static bool counters_is_wrong(const struct counters *counters, const struct counters_group *group)
{
    for (int i = 0; i < group->count; i++)
        for (int j = 0; j < counters->wrong_count; j++)
            if (counters_is_made_wrong(&group->events[i], &counters->wrong[j]))
                return true;
    return false;
}

// Opens the group on this process, or on this CPU, to see whether the kernel takes it.
static int counters_try(struct counters *counters, struct counters_group *group)
{
    if (counters_is_wrong(counters, group))
        return -COUNTERS_IS_WRONG;
    int fds[EVENT_PLAN_GROUP_EVENTS], opened = 0, status = 0;
    for (; opened < group->count && status == 0; opened++) {
        counters_set_attributes(counters, group, &group->events[opened]);
        struct perf_event_attr attr = group->events[opened].attr;
        attr.disabled = 1;
        fds[opened] = perf_event_open(&attr, group->of_cpus ? -1 : 0, group->of_cpus ? sched_getcpu() : -1,
                                      opened > 0 ? fds[0] : -1);
        if (fds[opened] < 0) {
            status = fds[opened];
            break;
        }
    }
    group->with_work = status == 0 && opened > 0 && counters->with_work && counters_has_room(counters->cpu, group) &&
                       counters_try_work(counters, fds[0]);
    while (opened-- > 0)
        close(fds[opened]);
    return status;
}

static void counters_try_all(struct counters *counters)
{
    // Instructions take a general counter of each group where the fixed one is taken (Intel), so only where groups of
    // offcore-response events must be multiplexed anyway.
    counters->with_work = !counters->counts_only && counters->cpu->offcore_registers > 0 &&
        counters_try_work(counters, -1);
    for (int i = 0; i < counters->group_count; i++) {
        struct counters_group *group = &counters->groups[i];
        group->error = counters_try(counters, group);
        if ((group->error == -EACCES || group->error == -EPERM) && !counters->exclude_kernel) {
            counters->exclude_kernel = true; // unprivileged: everything is tried again with it
            counters_try_all(counters);
            return;
        }
    }
    counters->usable = 0;
    for (int i = 0; i < counters->group_count; i++) {
        counters->usable += counters->groups[i].error == 0;
        if (i == counters->loads_group)
            counters->loads_error = counters->groups[i].error;
        else if (counters->groups[i].error < 0)
            counters->error = counters->groups[i].error;
    }
}

// Retired loads say less than requests by class, and take counter time from them.
static void counters_leave_out_retired(struct counters *counters)
{
    int others = 0;
    for (int i = 0; i < counters->plan.group_count; i++) {
        bool is_retired = event_catalogue_is_retired(counters->groups[i].events[0].source);
        if (!is_retired && counters->groups[i].error < 0)
            return;
        others += !is_retired;
    }
    for (int i = 0; others > 0 && i < counters->plan.group_count; i++) {
        struct counters_group *group = &counters->groups[i];
        if (group->error < 0 || !event_catalogue_is_retired(group->events[0].source))
            continue;
        group->error = -EALREADY;
        counters->usable--;
    }
}

// Where the best way to sample loads cannot be opened, the next may.
static void counters_try_loads(struct counters *counters)
{
    while (counters->loads_group >= 0 && counters->loads_error < 0 && counters_plan_next_loads(counters)) {
        struct counters_group *group = &counters->groups[counters->loads_group];
        int status = counters_try(counters, group);
        group->error = counters->loads_error = status;
        counters->usable += status == 0;
    }
}

// On this process, which executes nothing. Whatever stands against them, counters are read without.
static void counters_try_timers(struct counters *counters)
{
    counters->with_timers = counters->with_work;
    struct counter_set *set =
        counters->with_timers ? counters_open(counters, 0, -1, (struct counters_how){.on_exec = true}) : NULL;
    counters->with_timers = set && counters_add_timers(set);
    if (set)
        counters_close(set);
    atomic_store(&counters->refused, 0);
    atomic_store(&counters->refused_error, 0);
}

static int counters_make_groups(struct counters *counters, int64_t next_id)
{
    counters->group_count = counters->plan.group_count;
    for (int i = 0; i < counters->plan.group_count; i++) {
        const struct event_plan_group *planned = &counters->plan.groups[i];
        struct counters_group *group = &counters->groups[i];
        group->count = planned->count;
        group->samples_per_s = counters->emulated ? COUNTERS_EMULATED_PER_S : COUNTERS_SAMPLES_PER_S;
        group->first_period = COUNTERS_FIRST_PERIOD;
        group->period_step = 1;
        for (int j = 0; j < planned->count; j++) {
            struct counters_event *event = &group->events[j];
            *event = (struct counters_event){
                .id = next_id++, .source = planned->events[j],
                .sampled = !counters->counts_only && counters_is_remote(planned->events[j]),
                .answered_by = counters_source(planned->events[j])};
            int status = event_encode(&event->attr, "", counters->cpu, event->source);
            if (status < 0)
                return status;
        }
    }
    return (int)next_id;
}

int counters_prepare(struct counters *counters, const struct topology *topology, const char *topics, int64_t first_id)
{
    char pmu[PERF_CONTEXT_PMU_BYTES];
    counters->clock_id = first_id++;
    counters->migrations_id = first_id++;
    perf_context_pmu(pmu, "");
    int status = *pmu ? event_catalogue_load(&counters->catalogue) : event_catalogue_load_cpus(&counters->catalogue);
    if (status == 0)
        counters->cpu = event_catalogue_identify(counters->catalogue, &topology->cpu);
    counters->mixed_cpus = topology->cpu.mixed;
    if (status == 0 && !*pmu)
        status = -ENOENT; // no PMU, whatever the model is
    if (status == 0 && !counters->cpu)
        status = -ENODATA;
    const struct event_plan_request request = {
        .topics = topics, .split = event_plan_sockets_are_split(topology)};
    if (status == 0)
        status = event_plan_make(&counters->plan, counters->catalogue, counters->cpu, &request);
    if (status == 0)
        status = counters_make_groups(counters, first_id);
    if (status < 0) {
        counters->error = status;
        counters->loads_group = -1;
        counters->loads_error = status;
        return status;
    }
    counters->loads_group = -1;
    if (!counters->counts_only)
        counters_plan_loads(counters, status);
    counters_try_all(counters);
    if (!counters->all_asked_for)
        counters_leave_out_retired(counters);
    counters_try_loads(counters);
    counters_try_timers(counters);
    return 0;
}

void counters_free(struct counters *counters)
{
    event_catalogue_free(counters->catalogue);
    counters->catalogue = NULL;
}

static void counters_write_software(struct counters *counters, int64_t id, const char *name, const char *class,
                                    uint64_t config)
{
    RECORD(counters->queue, RECORDING_EVENT, RECORD_NUMBER(id), RECORD_TEXT("counters"), RECORD_TEXT(name),
           RECORD_TEXT(class), RECORD_TEXT(""), RECORD_NUMBER(PERF_TYPE_SOFTWARE), RECORD_NUMBER(config), RECORD_NULL,
           RECORD_NUMBER(0), RECORD_NULL, RECORD_NULL, RECORD_NULL);
}

static void counters_write_loads(struct counters *counters, const struct counters_event *event)
{
    RECORD(counters->queue, RECORDING_EVENT, RECORD_NUMBER(event->id), RECORD_TEXT("samples"),
           RECORD_TEXT(event->load_name), RECORD_TEXT(event->sampled ? "load" : "leader"), RECORD_TEXT(""),
           RECORD_NUMBER(event->attr.type), RECORD_NUMBER(event->attr.config), RECORD_NUMBER(event->attr.config1),
           RECORD_NUMBER(event->attr.exclude_kernel), RECORD_NULL, RECORD_NUMBER(event->attr.sample_period),
           RECORD_TEXT(counters->cpu->sampling.text));
}

static const char *counters_event_name(const struct event_entry *event)
{
    return event->name ? event->name : event->class;
}

void counters_write_events(struct counters *counters)
{
    counters_write_software(counters, counters->clock_id, "task-clock", "time", PERF_COUNT_SW_TASK_CLOCK);
    counters_write_software(counters, counters->migrations_id, "cpu-migrations", "migrations",
                            PERF_COUNT_SW_CPU_MIGRATIONS);
    for (int i = 0; i < counters->group_count; i++) {
        const struct counters_group *group = &counters->groups[i];
        for (int j = 0; j < group->count && group->error == 0; j++) {
            const struct counters_event *event = &group->events[j];
            char remark[1024];
            if (!event->source) {
                counters_write_loads(counters, event);
                continue;
            }
            RECORD(counters->queue, RECORDING_EVENT, RECORD_NUMBER(event->id), RECORD_TEXT("counters"),
                   RECORD_TEXT(counters_event_name(event->source)), RECORD_TEXT(event->source->class),
                   RECORD_TEXT(event->source->placement), RECORD_NUMBER(event->attr.type),
                   RECORD_NUMBER(event->attr.config), RECORD_NUMBER(event->attr.config1),
                   RECORD_NUMBER(counters->exclude_kernel), RECORD_TEXT(event_catalogue_confidence(event->source)),
                   event->sampled ? RECORD_NUMBER(event->attr.sample_period) : RECORD_NULL,
                   RECORD_TEXT(event_catalogue_remark(counters->catalogue, counters->cpu, event->source, remark,
                                                      sizeof remark)));
        }
    }
}
