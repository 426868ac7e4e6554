// SPDX-License-Identifier: Apache-2.0
// Writes the counts of perf stat record as rows of the recording, as a recorder's own counters are.
//
// The file says for which threads and CPUs events were opened. Of a program or process that is one thread, whose counts
// include those of all that it starts: their rows have neither thread nor CPU. Several threads have a row each, and
// CPUs (-a, -C) have their number.
//
// The time that an event of a thread was enabled is the CPU time of that thread, that of a CPU's is all time: it takes
// the place of the task clock, with the largest of all events of one thread or CPU.
#ifndef PROFILER_IMPORT_IMPORT_COUNTS_H
#define PROFILER_IMPORT_IMPORT_COUNTS_H

#include "profiler/import/import_events.h"
#include "profiler/import/import_tasks.h"
#include "profiler/import/perf_data/perf_stat.h"

struct import_counts_values {
    uint64_t value, enabled, running;
};

struct import_counts {
    struct import_tasks *tasks;      // the first three: set by the caller
    struct perf_file *file;
    const struct event_catalogue *catalogue;
    const struct event_cpu *cpu;     // NULL: not known; then nothing is counted

    struct perf_stat_maps maps;
    uint64_t interval_ms;            // of perf stat -I; 0: one total of each event
    uint64_t time;                   // of the last round
    struct table place_of_count;     // event and place -> index
    struct import_counts_item *items; // each event of each thread or CPU
    size_t count, size;
    size_t *pending;                 // indices of those that changed in this round
    size_t pending_count, pending_size;
    struct import_counts_values total; // of all rows: readers add them up

    bool has_events;                 // they were written
    size_t known_events;             // that counts are taken of
    uint64_t records;                // counts in the file
    uint64_t rows;                   // counts that became rows, without the clock's
    uint64_t rounds, threads, cpus;  // that were counted
    uint64_t malformed;
    bool of_all;                     // of all programs on these CPUs
    bool inherits;                   // threads count for those that started them
};

// Takes a record of perf stat; others are skipped. -ENOMEM; malformed records are counted and left out.
int import_counts_take(struct import_counts *counts, const struct perf_event_header *header);

// Writes what the last round left.
void import_counts_finish(struct import_counts *counts);
void import_counts_free(struct import_counts *counts);

// The names of the events that are not counted: "cycles, instructions and 3 more". Returns how many they are.
size_t import_counts_others(const struct import_counts *counts, char *names, size_t size);

#endif
