// SPDX-License-Identifier: Apache-2.0
// The text of perf script: each line becomes the record of perf.data that it tells of.
#ifndef PROFILER_IMPORT_PERF_TEXT_PERF_TEXT_H
#define PROFILER_IMPORT_PERF_TEXT_PERF_TEXT_H

#include "profiler/import/perf_data/perf_file.h"

enum { PERF_TEXT_LINE = 1 << 14 };   // bytes; longer lines are not read

struct perf_text {                   // all zero but the first three: before the first line
    struct perf_file *file;          // mapped; gets the events, and what the header lines tell
    // perf writes the place in the file for addresses of call chains. Returns the address that a thread has it at, or
    // place itself if it is an address; 0: not known.
    uint64_t (*address_of)(void *context, uint32_t tid, const char *path, uint64_t place);
    void *context;

    const char *at;                  // the next line
    uint64_t lines;                  // that tell of a record
    uint64_t unread;                 // that look so and could not be read
    uint64_t without_period;         // samples
    uint64_t without_process;        // samples of threads that no line before puts into a process
    bool has_tasks;                  // some lines tell of threads and processes
    uint32_t pid, tid;               // of the last record
    char comm[16];
    uint64_t time;                   // of the last record, ns
    size_t last_event;
    char line[PERF_TEXT_LINE];
};

// Whether the mapped file may be such a text: its beginning has a line that tells of a record.
bool perf_text_is_one(const struct perf_file *file);

// The next record, in room; NULL: the end, or *status is -ENOMEM.
const struct perf_event_header *perf_text_next(struct perf_text *text, struct perf_file_room *room, int *status);

#endif
