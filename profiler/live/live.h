// SPDX-License-Identifier: Apache-2.0
// What numaprof top shows, read at an interval and written as one JSON document after another: first what does not
// change (numaprof.top), then a sample each time (numaprof.top_sample) with totals since each thread was met. Whoever
// reads it takes differences. Nothing is stopped, traced, pinned or sampled.
//
// Threads are counted by events of their own (cpu -1) and found by scanning /proc at each interval: a thread is counted
// from the scan on that meets it.
#ifndef PROFILER_LIVE_LIVE_H
#define PROFILER_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "collectors/counters/counters.h"
#include "core/text/json.h"
#include "core/topology/topology.h"
#include "core/util/table.h"
#include "profiler/launch/running.h"
#include "profiler/live/live_pages.h"
#include "profiler/recorder/evidence/refusals.h"
#include "profiler/recorder/evidence/verification.h"

enum { LIVE_OWN_FILES = 64 };        // open files that are none of the counters'

struct live_request {
    struct running *running;         // the processes, or with its group those of a control group
    bool all;                        // every process that may be looked into, instead
    const char *events;              // topics; NULL: the usual ones
    uint64_t interval_ns;
};

struct live_thread {
    pid_t tid;
    uint64_t started;                // in clock ticks since boot: tells it from an earlier one of that number
    uint64_t round;                  // the last in which it was seen
    struct counter_set *counters;    // NULL: none
    bool refused;
};

struct live_process {
    pid_t pid;
    uint64_t round;
    bool refused;                    // cannot be measured, ...
    bool foreign;                    // ... for want of rights
    struct live_pages pages;
};

struct live {
    const struct live_request *request;
    FILE *file;                      // where documents go
    struct topology topology;
    struct counters counters;
    struct verification verification;
    struct refusals refusals;
    struct table processes, threads; // pid, tid -> struct live_process, live_thread
    struct live_pages_budget budget; // of page look-ups in one round
    uint64_t round;
    size_t files_allowed;
    int left_out;                    // classes of counters, for want of files
    int balancing;                   // kernel.numa_balancing; -1: not known
    size_t shown;                    // processes seen in this round
    size_t uncounted;                // threads without counters in this round ...
    int uncounted_error;             // ... and why, of the last of them
    size_t foreign;                  // processes that cannot be looked into
};

// Prepares the counters and writes the first document. -errno: out of memory, or no CPU is to be found.
int live_open(struct live *live, const struct live_request *request, FILE *file);
void live_close(struct live *live);

// Reads everything once and writes a sample. False: none of the processes is there any more, or nobody reads.
bool live_sample(struct live *live);

// live_threads.c: writes the threads of a process as the array "threads", with its name and resident memory.
void live_threads_write(struct live *live, struct json *json, const struct live_process *process);
// Ends what was not seen in this round.
void live_threads_sweep(struct live *live);

// live_document.c
void live_document_header(struct live *live);
void live_document_nodes(const struct live *live, struct json *json);

#endif
