// SPDX-License-Identifier: Apache-2.0
// Writes samples of all collectors, and keeps their sums by kind.
#ifndef COLLECTORS_SAMPLES_SAMPLES_H
#define COLLECTORS_SAMPLES_SAMPLES_H

#include "collectors/samples/call_stacks.h"
#include "core/recording/recording_queue.h"

enum { SAMPLES_KINDS = 32 };       // ids of sample_kind in core/recording/schema.sql are below

struct samples_sum {
    uint64_t samples, weight;
};

struct samples {
    struct recording_queue *queue;
    struct call_stacks *stacks;
    int64_t count;                   // also the id of the last one
    struct samples_sum sums[SAMPLES_KINDS];
};

// A row of the table sample; numbers that are not known are RECORDING_NULL.
struct samples_row {
    int kind;
    int64_t event, t_ns, thread, cpu, stack, address, block, page_node, source, latency;
    uint64_t weight;
};

// A row with kind, event, time, thread and weight; all other fields are RECORDING_NULL.
struct samples_row samples_row(int kind, int64_t event, int64_t t_ns, int64_t thread, uint64_t weight);

// Returns the id of the row.
int64_t samples_put(struct samples *samples, const struct samples_row *row);
void samples_write_sums(const struct samples *samples);

#endif
