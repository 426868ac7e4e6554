// SPDX-License-Identifier: Apache-2.0
// Single loads with address, latency and source: PEBS load latency on Intel, IBS op on AMD, marked loads on POWER. The home
// of the loaded page is asked for soon after, which also checks what the sample says of its source.
#ifndef COLLECTORS_LOADS_H
#define COLLECTORS_LOADS_H

#include <linux/perf_event.h>

#include "collectors/catalogue.h"
#include "collectors/objects.h"
#include "collectors/samples.h"
#include "collectors/tasks.h"

enum {
    LOADS_THRESHOLD_CYCLES = 30,   // shorter ones hit the own caches; perf mem's default
    LOADS_PENDING = 4096,
};

// What stands in PERF_SAMPLE_WEIGHT, see perf_event_open(2); on newer Intel its low half is the latency.
#define LOADS_SAMPLE_TYPE (PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

// The events to open for a CPU, in one group: at most a leader that only enables, and the loads. Returns how many (1 or
// 2), or -ENOTSUP: this CPU, or this kernel, cannot; root as for encode_event.
int loads_attributes(const struct catalogue_cpu *cpu, const char *root, struct perf_event_attr attr[2]);

struct loads_pending {
    uint64_t time, address, latency, weight, data_src;
    int64_t thread, stack, event;
    struct object_found found;     // at the address, then
    struct process *process;       // NULL: settled
    int32_t cpu;
    bool is_store;
};

struct loads {
    struct tasks *tasks;
    struct samples *samples;
    struct objects *objects;
    const struct topology *topology;
    uint64_t checked, contradicted; // samples whose source and page's home could be compared, and did not agree
    size_t pending_count;
    struct loads_pending pending[LOADS_PENDING];
};

void loads_take(struct loads *loads, const struct perf_sample *sample, int64_t event, const struct thread *thread,
                int64_t stack);

// Asks for the homes of what is pending and records it; before a process is forgotten.
void loads_settle(struct loads *loads);

#endif
