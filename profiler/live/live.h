// SPDX-License-Identifier: Apache-2.0
// Writes what numaprof top shows, as a sequence of JSON documents: first what does not change (numaprof.top), then one
// sample per interval (numaprof.top_sample). A sample holds totals since each thread was found; the reader takes
// differences. No process is stopped, traced, pinned or sampled.
//
// Each thread has events of its own (cpu -1). Each interval scans /proc for new threads: a thread is counted from the
// scan that finds it.
#ifndef PROFILER_LIVE_LIVE_H
#define PROFILER_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "collectors/counters/counters.h"
#include "core/text/json.h"
#include "core/topology/topology.h"
#include "core/util/table.h"
#include "profiler/live/live_pages.h"
#include "profiler/recorder/evidence/refusals.h"
#include "profiler/recorder/evidence/verification.h"
#include "profiler/running/running.h"

enum { LIVE_OWN_FILES = 64 };        // open files that are not counters

struct live_request {
    struct running *running;         // the processes to show; with a group, those of the control group
    bool all;                        // show every process that we may read instead
    const char *events;              // topics; NULL: the default ones
    uint64_t interval_ns;
};

struct live_thread {
    pid_t tid;
    uint64_t started;                // clock ticks since boot: tells the thread from an earlier one with the same tid
    uint64_t round;                  // the last round that saw the thread
    struct counter_set *counters;    // NULL: none
    bool refused;
};

struct live_process {
    pid_t pid;
    uint64_t round;
    bool refused;                    // the process cannot be measured, ...
    bool foreign;                    // ... because we lack the rights
    struct live_pages pages;
};

struct live {
    const struct live_request *request;
    FILE *file;                      // gets the documents
    struct topology topology;
    struct counters counters;
    struct verification verification;
    struct refusals refusals;
    struct table processes, threads; // pid, tid -> struct live_process, live_thread
    struct live_pages_budget budget; // of page queries in one round
    uint64_t round;
    size_t files_allowed;
    int left_out;                    // event classes that the limit of open files leaves out
    int balancing;                   // kernel.numa_balancing; -1: not known
    size_t shown;                    // processes seen in this round
    size_t uncounted;                // threads without counters in this round ...
    int uncounted_error;             // ... and why the last of them has none
    size_t foreign;                  // processes that we lack the rights to read
};

// Prepares the counters and writes the first document. -errno: out of memory, or no CPU was found.
int live_open(struct live *live, const struct live_request *request, FILE *file);
void live_close(struct live *live);

// Reads every process once and writes a sample. False: all processes have ended, or the reader has gone.
bool live_sample(struct live *live);

// live_threads.c: writes the threads of a process as the array "threads", with its name and resident memory.
void live_threads_write(struct live *live, struct json *json, const struct live_process *process);
// Frees the threads that this round did not see.
void live_threads_sweep(struct live *live);

// live_document.c
void live_document_header(struct live *live);
void live_document_nodes(const struct live *live, struct json *json);

#endif
