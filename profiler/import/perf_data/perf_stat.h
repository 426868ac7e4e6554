// SPDX-License-Identifier: Apache-2.0
// The records of perf stat record (tools/lib/perf/include/perf/event.h). Counts are totals since the start of perf; an
// end of a round follows those of one reading of all events.
#ifndef PROFILER_IMPORT_PERF_DATA_PERF_STAT_H
#define PROFILER_IMPORT_PERF_DATA_PERF_STAT_H

#include "profiler/import/perf_data/perf_file.h"

#define PERF_STAT_ANY (-1)       // any thread, or any CPU

struct perf_stat_thread {
    int64_t tid;                 // PERF_STAT_ANY
    char name[17];               // "": not known
};

// Whom the events were opened for. An event has an id for each of its CPUs and threads, threads first.
struct perf_stat_maps {
    struct perf_stat_thread *threads;
    size_t thread_count;
    int *cpus;
    size_t cpu_count;
};

struct perf_stat_count {
    uint64_t id;                 // of the event
    uint32_t cpu;                // its number; before Linux 5.17, its position in the map
    uint32_t thread;             // its position in the map
    uint64_t value, enabled, running;
};

// All return -EBADMSG for a record that is too short or contradicts itself, and then change nothing.
int perf_stat_count(const struct perf_file *file, const struct perf_event_header *header,
                    struct perf_stat_count *count);
int perf_stat_round(const struct perf_file *file, const struct perf_event_header *header, uint64_t *time);

// -I in ms; *interval_ms stays where the record does not tell.
int perf_stat_config(const struct perf_file *file, const struct perf_event_header *header, uint64_t *interval_ms);

// The first map of its kind counts, another one is refused. Also -ENOMEM. perf_stat_free frees both.
int perf_stat_threads(const struct perf_file *file, const struct perf_event_header *header,
                      struct perf_stat_maps *maps);
int perf_stat_cpus(const struct perf_file *file, const struct perf_event_header *header, struct perf_stat_maps *maps);
void perf_stat_free(struct perf_stat_maps *maps);

// The name of an event, in a pipe: sets perf_file_event.name. Other updates are skipped. Also -ENOMEM.
int perf_stat_update(struct perf_file *file, const struct perf_event_header *header);

// What a count is of; -EBADMSG: its event is unknown, or the maps do not have the CPU and thread that it names.
struct perf_stat_scope {
    struct perf_file_event *event;
    uint64_t place;              // of CPU and thread, the same for all events
    int cpu;                     // PERF_STAT_ANY
    const struct perf_stat_thread *thread;
};
int perf_stat_scope(const struct perf_file *file, const struct perf_stat_maps *maps,
                    const struct perf_stat_count *count, struct perf_stat_scope *scope);

#endif
