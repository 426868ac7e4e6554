// SPDX-License-Identifier: Apache-2.0
// Single loads with address, latency and source: PEBS load latency on Intel, IBS op on AMD, marked loads on POWER.
// Soon after a load, move_pages gives the node of its page, which also checks the source that the CPU reported.
#ifndef COLLECTORS_LOADS_LOADS_H
#define COLLECTORS_LOADS_LOADS_H

#include <linux/perf_event.h>

#include "collectors/heap/objects.h"
#include "collectors/loads/loads_source.h"
#include "collectors/processes/tasks.h"
#include "collectors/samples/samples.h"

enum { LOADS_PENDING = 4096 };

// PERF_SAMPLE_WEIGHT is the latency; on newer Intel CPUs only its low half (perf_event_open(2)).
#define LOADS_SAMPLE_TYPE (PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

struct loads_pending {
    uint64_t time, address, latency, weight;
    enum load_source source;
    int64_t thread, stack, event;
    struct objects_found found;     // at the address when the load was sampled
    struct process *process;       // NULL: classified
    int32_t cpu;
    bool is_store;
};

struct loads {
    struct tasks *tasks;
    struct samples *samples;
    struct objects *objects;
    const struct topology *topology;
    uint64_t checked, contradicted; // samples whose source and page node were compared; those that disagreed
    size_t pending_count;
    struct loads_pending pending[LOADS_PENDING];
};

// The event of a sample.
struct loads_origin {
    int64_t event;                 // its id in the recording
    enum load_source source;       // of all its samples; LOAD_UNKNOWN: each sample has its own
};

// Keeps a sampled load until loads_classify. stack: id of its call stack. If LOADS_PENDING loads wait, they are
// classified first.
void loads_take(struct loads *loads, const struct perf_sample *taken, struct loads_origin origin,
                const struct thread *thread, int64_t stack);

// Asks for the page nodes of pending loads and writes their rows. Call it before a process is removed.
void loads_classify(struct loads *loads);

#endif
