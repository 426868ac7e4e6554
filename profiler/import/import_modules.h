// SPDX-License-Identifier: Apache-2.0
// The modules of an import. Only import.c, import_records.c and import_rows.c see this struct.
#ifndef PROFILER_IMPORT_IMPORT_MODULES_H
#define PROFILER_IMPORT_IMPORT_MODULES_H

#include "profiler/import/import.h"
#include "profiler/import/import_counts.h"
#include "profiler/import/import_events.h"
#include "profiler/import/import_machine.h"
#include "profiler/import/import_samples.h"
#include "profiler/import/import_tasks.h"
#include "profiler/import/perf_data/perf_file.h"
#include "profiler/import/perf_data/perf_order.h"
#include "profiler/import/perf_text/perf_text.h"
#include "profiler/symbols/variables.h"

struct import {
    const struct import_request *request;
    struct perf_file file;
    struct machine machine;
    struct event_catalogue *catalogue;

    struct tasks tasks;              // its queue, paths, programs and epoch only
    struct import_tasks known;
    struct stack_walk walk;
    struct objects objects;
    struct variables *variables;
    struct samples samples;
    struct import_samples reader;
    struct import_faults page_faults;
    struct import_counts counts;
    struct perf_order order;
    struct perf_file_room room;
    struct perf_text text;           // where the file is one: file.is_text

    uint64_t delivered;              // bytes of records since the file's memory was given back
    uint64_t lost_records, lost_samples, lost; // by the kernel's count, by perf's; the larger
    uint64_t throttled, malformed, unknown; // records
    uint64_t unproven;               // mappings of files without build id in a text
    bool has_begun;                  // tasks.epoch is known
    bool knows_machine;              // machine and cpu were read, with this error
    int error;
};

// Reads all records of the file in the order of their times. -ENOMEM; damaged records are counted and left out.
int import_records_read(struct import *import);

// Writes what the file is about: the run, the machine, what the file has and lacks, and what qualifies its numbers.
// After the last record.
void import_rows_write(struct import *import);

// Notes the files whose code ran and that are not here. After names were looked up.
void import_rows_write_missing(struct import *import);

#endif
