// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/import_counts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/system/clock.h"
#include "core/util/grow.h"

enum { IMPORT_COUNTS_CLOCK = PERF_FILE_EVENTS + 1 }; // row of the task clock: behind those of all events

struct import_counts_item {
    int64_t event, thread;           // rows; thread 0: none
    int cpu;                         // PERF_STAT_ANY
    struct import_counts_values now, told;
    bool is_pending;
};

// --- events

static const char *import_counts_name(const struct perf_file *file, size_t event)
{
    const char *name = file->events[event].name;
    if (!name && event < file->features.event_count)
        name = file->features.event_names[event];
    return name && *name ? name : "an event without a name";
}

// One event counts once, under whatever name.
static bool import_counts_is_repeated(const struct perf_file *file, size_t event)
{
    for (size_t i = 0; i < event; i++)
        if (file->events[i].known == file->events[event].known)
            return true;
    return false;
}

static void import_counts_write_event(struct import_counts *counts, struct perf_file_event *event, int64_t row)
{
    char remark[1024];
    const struct event_entry *known = event->known;
    event->row = row;
    RECORD(counts->tasks->tasks->queue, RECORDING_EVENT, RECORD_NUMBER(row), RECORD_TEXT("counters"),
           RECORD_TEXT(known->name ? known->name : known->class), RECORD_TEXT(known->class),
           RECORD_TEXT(known->placement), RECORD_NUMBER(event->attr.type), RECORD_NUMBER((int64_t)event->attr.config),
           RECORD_NUMBER((int64_t)event->attr.config1), RECORD_NUMBER(event->attr.exclude_kernel),
           RECORD_TEXT(event_catalogue_confidence(known)), RECORD_NULL,
           RECORD_TEXT(event_catalogue_remark(counts->catalogue, counts->cpu, known, remark, sizeof remark)));
}

static void import_counts_write_events(struct import_counts *counts)
{
    struct perf_file *file = counts->file;
    counts->has_events = true;
    for (size_t i = 0; i < file->event_count; i++)
        if (file->events[i].known && file->events[i].row == 0 && !import_counts_is_repeated(file, i)) {
            import_counts_write_event(counts, &file->events[i], (int64_t)i + 1);
            counts->known_events++;
        }
    RECORD(counts->tasks->tasks->queue, RECORDING_EVENT, RECORD_NUMBER(IMPORT_COUNTS_CLOCK), RECORD_TEXT("counters"),
           RECORD_TEXT("task-clock"), RECORD_TEXT("time"), RECORD_TEXT(""), RECORD_NUMBER(PERF_TYPE_SOFTWARE),
           RECORD_NUMBER(PERF_COUNT_SW_TASK_CLOCK), RECORD_NULL, RECORD_NUMBER(0), RECORD_NULL, RECORD_NULL,
           RECORD_NULL);
}

size_t import_counts_others(const struct import_counts *counts, char *names, size_t size)
{
    enum { MOST_NAMES = 6 };
    const size_t all = counts->file->event_count - counts->known_events;
    size_t named = 0, length = 0;
    *names = '\0';
    for (size_t i = 0; i < counts->file->event_count && named < MOST_NAMES && length < size; i++)
        if (counts->file->events[i].row == 0)
            length += (size_t)snprintf(names + length, size - length, "%s%s", named++ > 0 ? ", " : "",
                                       import_counts_name(counts->file, i));
    if (all > named && length < size)
        snprintf(names + length, size - length, " and %zu more", all - named);
    return all;
}

// --- counts

// The row of the thread; 0: none, because the count is of a whole program, or of a CPU.
static int64_t import_counts_thread(struct import_counts *counts, const struct perf_stat_scope *scope)
{
    const struct perf_stat_maps *maps = &counts->maps;
    const bool of_program = maps->thread_count == 1 && scope->event->attr.inherit;
    if (scope->thread->tid == PERF_STAT_ANY || of_program)
        return 0;
    const uint32_t first = maps->threads->tid == PERF_STAT_ANY ? 0 : (uint32_t)maps->threads->tid;
    const struct perf_comm name = {.pid = first, .tid = (uint32_t)scope->thread->tid, .name = scope->thread->name};
    if (*name.name)
        import_tasks_comm(counts->tasks, &name, 0);
    const struct import_thread *thread = import_tasks_of_sample(counts->tasks, first, name.tid, 0);
    return thread ? thread->id : 0;
}

static struct import_counts_item *import_counts_add(struct import_counts *counts, int64_t event, uint64_t key,
                                                    const struct perf_stat_scope *scope)
{
    struct import_counts_item *items = grow_array(counts->items, &counts->size, counts->count + 1, sizeof *items);
    if (!items)
        return NULL;
    counts->items = items;
    if (table_put(&counts->place_of_count, key, counts->count) < 0)
        return NULL;
    struct import_counts_item *item = &items[counts->count++];
    *item = (struct import_counts_item){.event = event, .thread = import_counts_thread(counts, scope),
                                        .cpu = scope->cpu};
    counts->threads += event == IMPORT_COUNTS_CLOCK && item->thread != 0;
    counts->cpus += event == IMPORT_COUNTS_CLOCK && item->cpu != PERF_STAT_ANY;
    return item;
}

static struct import_counts_item *import_counts_item(struct import_counts *counts, int64_t event,
                                                     const struct perf_stat_scope *scope)
{
    enum { EVENT_SHIFT = 48 };
    const uint64_t key = (uint64_t)event << EVENT_SHIFT | scope->place;
    size_t *pending = grow_array(counts->pending, &counts->pending_size, counts->pending_count + 1, sizeof *pending);
    uint64_t index;
    if (!pending)
        return NULL;
    counts->pending = pending;
    struct import_counts_item *item = table_get(&counts->place_of_count, key, &index)
                                          ? &counts->items[index]
                                          : import_counts_add(counts, event, key, scope);
    if (item && !item->is_pending)
        pending[counts->pending_count++] = (size_t)(item - counts->items);
    if (item)
        item->is_pending = true;
    return item;
}

// Totals only grow.
static bool import_counts_set(struct import_counts_item *item, const struct import_counts_values *now)
{
    const struct import_counts_values *before = &item->now;
    if (now->value < before->value || now->enabled < before->enabled || now->running < before->running)
        return false;
    item->now = *now;
    return true;
}

static int import_counts_take_count(struct import_counts *counts, const struct perf_stat_count *count,
                                    const struct perf_stat_scope *scope)
{
    const struct import_counts_values now = {count->value, count->enabled, count->running};
    struct import_counts_item *clock = import_counts_item(counts, IMPORT_COUNTS_CLOCK, scope);
    if (!clock)
        return -ENOMEM;
    if (count->enabled > clock->now.enabled)
        clock->now = (struct import_counts_values){count->enabled, count->enabled, count->enabled};
    struct import_counts_item *item = import_counts_item(counts, scope->event->row, scope);
    if (!item)
        return -ENOMEM;
    return import_counts_set(item, &now) ? 0 : -EBADMSG;
}

static int import_counts_take_record(struct import_counts *counts, const struct perf_event_header *header)
{
    struct perf_stat_count count;
    struct perf_stat_scope scope;
    counts->records++;
    if (!counts->cpu)
        return 0;
    if (!counts->has_events)
        import_counts_write_events(counts);
    if (perf_stat_count(counts->file, header, &count) < 0 ||
        perf_stat_scope(counts->file, &counts->maps, &count, &scope) < 0)
        return -EBADMSG;
    if (scope.event->row == 0)
        return 0;
    const bool of_cpu = scope.thread->tid == PERF_STAT_ANY;
    if (of_cpu == (scope.cpu == PERF_STAT_ANY)) // perf counts threads on all CPUs, and CPUs with all threads
        return -EBADMSG;
    counts->of_all |= of_cpu;
    counts->inherits |= scope.event->attr.inherit;
    return import_counts_take_count(counts, &count, &scope);
}

// --- rounds

// False: the sum of all rows would leave the range of the recording's numbers.
static bool import_counts_sum(struct import_counts_values *total, const struct import_counts_values *delta)
{
    if (delta->value > INT64_MAX - total->value || delta->enabled > INT64_MAX - total->enabled ||
        delta->running > INT64_MAX - total->running)
        return false;
    total->value += delta->value;
    total->enabled += delta->enabled;
    total->running += delta->running;
    return true;
}

static void import_counts_write(struct import_counts *counts, struct import_counts_item *item)
{
    const struct import_counts_values delta = {item->now.value - item->told.value,
                                               item->now.enabled - item->told.enabled,
                                               item->now.running - item->told.running};
    item->is_pending = false;
    if (delta.value == 0 && delta.enabled == 0 && delta.running == 0)
        return;
    item->told = item->now;
    if (!import_counts_sum(&counts->total, &delta)) {
        counts->malformed++;
        return;
    }
    RECORD(counts->tasks->tasks->queue, RECORDING_COUNT, RECORD_NUMBER(item->event),
           item->thread ? RECORD_NUMBER(item->thread) : RECORD_NULL, RECORD_KNOWN(item->cpu),
           RECORD_NUMBER((int64_t)counts->time), RECORD_NUMBER((int64_t)delta.value),
           RECORD_NUMBER((int64_t)delta.enabled), RECORD_NUMBER((int64_t)delta.running), RECORD_NULL);
    counts->rows += item->event != IMPORT_COUNTS_CLOCK;
}

static void import_counts_end_round(struct import_counts *counts, uint64_t time)
{
    counts->time = time > counts->time && time <= INT64_MAX ? time : counts->time;
    for (size_t i = 0; i < counts->pending_count; i++)
        import_counts_write(counts, &counts->items[counts->pending[i]]);
    counts->rounds += counts->pending_count > 0;
    counts->pending_count = 0;
}

// perf reads once more after the last round. The time of that is unknown; it is within an interval.
void import_counts_finish(struct import_counts *counts)
{
    const uint64_t most_ms = INT64_MAX / CLOCK_MS - counts->time / CLOCK_MS;
    const uint64_t interval_ms = counts->interval_ms < most_ms ? counts->interval_ms : 0;
    bool has_more = false;
    for (size_t i = 0; i < counts->pending_count; i++) {
        const struct import_counts_item *item = &counts->items[counts->pending[i]];
        has_more |= item->now.enabled > item->told.enabled;
    }
    import_counts_end_round(counts, counts->time + (has_more ? interval_ms * CLOCK_MS : 0));
    for (size_t i = 0; i < counts->count; i++)
        if (counts->items[i].event == IMPORT_COUNTS_CLOCK && counts->items[i].thread != 0)
            RECORD(counts->tasks->tasks->queue, RECORDING_THREAD_END, RECORD_NUMBER(counts->items[i].thread),
                   RECORD_NULL, RECORD_NUMBER((int64_t)(counts->items[i].told.enabled & INT64_MAX)), RECORD_NULL);
}

// --- records

static int import_counts_read(struct import_counts *counts, const struct perf_event_header *header)
{
    uint64_t time;
    int status;
    switch (header->type) {
    case PERF_FILE_THREAD_MAP:
        return perf_stat_threads(counts->file, header, &counts->maps);
    case PERF_FILE_CPU_MAP:
        return perf_stat_cpus(counts->file, header, &counts->maps);
    case PERF_FILE_STAT_CONFIG:
        return perf_stat_config(counts->file, header, &counts->interval_ms);
    case PERF_FILE_EVENT_UPDATE:
        return perf_stat_update(counts->file, header);
    case PERF_FILE_STAT:
        return import_counts_take_record(counts, header);
    case PERF_FILE_STAT_ROUND:
        status = perf_stat_round(counts->file, header, &time);
        if (status == 0)
            import_counts_end_round(counts, time);
        return status;
    default:
        return 0;
    }
}

int import_counts_take(struct import_counts *counts, const struct perf_event_header *header)
{
    const int status = import_counts_read(counts, header);
    counts->malformed += status == -EBADMSG;
    return status == -EBADMSG ? 0 : status;
}

void import_counts_free(struct import_counts *counts)
{
    perf_stat_free(&counts->maps);
    table_free(&counts->place_of_count);
    free(counts->items);
    free(counts->pending);
}
