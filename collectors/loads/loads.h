// SPDX-License-Identifier: Apache-2.0
// Single loads with address, latency and source: PEBS load latency on Intel, IBS op on AMD, marked loads on POWER. The node
// of the page of the loaded page is asked for soon after, which also checks what the sample says of its source.
#ifndef COLLECTORS_LOADS_LOADS_H
#define COLLECTORS_LOADS_LOADS_H

#include <linux/perf_event.h>

#include "collectors/heap/objects.h"
#include "collectors/loads/loads_source.h"
#include "collectors/processes/tasks.h"
#include "collectors/samples/samples.h"

enum { LOADS_PENDING = 4096 };

// What stands in PERF_SAMPLE_WEIGHT, see perf_event_open(2); on newer Intel its low half is the latency.
#define LOADS_SAMPLE_TYPE (PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

struct loads_pending {
    uint64_t time, address, latency, weight;
    enum load_source source;
    int64_t thread, stack, event;
    struct objects_found found;     // at the address, then
    struct process *process;       // NULL: classified
    int32_t cpu;
    bool is_store;
};

struct loads {
    struct tasks *tasks;
    struct samples *samples;
    struct objects *objects;
    const struct topology *topology;
    uint64_t checked, contradicted; // samples whose source and page's node could be compared, and did not agree
    size_t pending_count;
    struct loads_pending pending[LOADS_PENDING];
};

// The event of a sample.
struct loads_origin {
    int64_t event;                 // its id in the recording
    enum load_source source;       // what it says of all its samples; LOAD_UNKNOWN: each tells itself
};

void loads_take(struct loads *loads, const struct perf_sample *sample, struct loads_origin origin,
                const struct thread *thread, int64_t stack);

// Asks for the pages' nodes of what is pending and records it; before a process is forgotten.
void loads_classify(struct loads *loads);

#endif
