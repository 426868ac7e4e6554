// SPDX-License-Identifier: Apache-2.0
#include "collectors/samples/samples.h"

struct samples_row samples_row(int kind, int64_t event, int64_t t_ns, int64_t thread, uint64_t weight)
{
    return (struct samples_row){
        .kind = kind,
        .event = event,
        .t_ns = t_ns,
        .thread = thread,
        .weight = weight,
        .cpu = RECORDING_NULL,
        .stack = RECORDING_NULL,
        .address = RECORDING_NULL,
        .block = RECORDING_NULL,
        .page_node = RECORDING_NULL,
        .source = RECORDING_NULL,
        .latency = RECORDING_NULL,
    };
}

int64_t samples_put(struct samples *samples, const struct samples_row *row)
{
    samples->sums[row->kind].samples++;
    samples->sums[row->kind].weight += row->weight;
    call_stacks_weigh(samples->stacks, row->stack, row->weight);
    samples->count++;
    RECORD(samples->queue, RECORDING_SAMPLE, RECORD_NUMBER(row->kind), RECORD_NUMBER(row->event),
           RECORD_NUMBER(row->t_ns), RECORD_NUMBER(row->thread), RECORD_NUMBER(row->cpu), RECORD_NUMBER(row->weight),
           RECORD_NUMBER(row->stack), RECORD_NUMBER(row->address), RECORD_NUMBER(row->block),
           RECORD_NUMBER(row->page_node), RECORD_NUMBER(row->source), RECORD_NUMBER(row->latency));
    return samples->count; // the row's id: rows are written in the order they are put
}

void samples_write_sums(const struct samples *samples)
{
    for (int kind = 0; kind < SAMPLES_KINDS; kind++)
        if (samples->sums[kind].samples > 0)
            RECORD(samples->queue, RECORDING_SAMPLE_SUM, RECORD_NUMBER(kind),
                   RECORD_NUMBER(samples->sums[kind].samples), RECORD_NUMBER(samples->sums[kind].weight));
}
