// SPDX-License-Identifier: Apache-2.0
// Writes samples of a perf.data file as rows of the recording: loads, stores and page faults with their address.
#ifndef PROFILER_IMPORT_IMPORT_SAMPLES_H
#define PROFILER_IMPORT_IMPORT_SAMPLES_H

#include "collectors/heap/objects.h"
#include "collectors/samples/samples.h"
#include "core/topology/topology.h"
#include "profiler/import/import_faults.h"
#include "profiler/import/import_tasks.h"
#include "profiler/import/perf_data/perf_file.h"
#include "profiler/recorder/evidence/stack_walk.h"

struct import_samples {
    struct import_tasks *tasks;      // the first seven: set by the caller
    struct samples *samples;
    struct objects *objects;
    struct stack_walk *walk;
    const struct perf_file *file;
    const struct topology *topology;
    struct import_faults *page_faults;
    bool unwinds;                    // registers in the file are those of this program's architecture

    size_t fault_events;             // that count
    uint64_t taken;                  // samples that became rows, of these:
    uint64_t faults, fault_weight, overflows, with_cpu, with_node, with_source, with_latency, with_stack;
    uint64_t latest;                 // time of the last one
    uint64_t no_memory;              // of events or instructions that access no memory
    uint64_t kernel_addresses;       // of memory of the kernel, which no object of the program can have
    uint64_t foreign;                // of guests and hypervisors
    uint64_t malformed, unmatched;
    uint64_t repeated;               // of page faults that another event sampled too
    uint64_t checked, contradicted;  // source and node of the page were compared; and did not agree
};

// Takes a sample of this event: writes its row, or counts why there is none.
void import_samples_take(struct import_samples *import, struct perf_file_event *event,
                         const struct perf_event_header *header);

bool import_samples_is_fault(const struct perf_event_attr *attr);

#endif
