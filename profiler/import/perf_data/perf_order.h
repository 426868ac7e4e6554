// SPDX-License-Identifier: Apache-2.0
// Puts records in the order of their times. perf writes the buffers of the CPUs one after the other, in rounds: records
// after the end of a round are not older than the newest record of the round before.
#ifndef PROFILER_IMPORT_PERF_DATA_PERF_ORDER_H
#define PROFILER_IMPORT_PERF_DATA_PERF_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct perf_order_item {
    uint64_t time;
    const char *at;                // where the record is
};

// Gets the records in the order of their times; of equal ones, in the order of the file.
typedef void perf_order_deliver(void *context, const char *at, uint64_t time);

struct perf_order {                // all zero but the first two: empty
    perf_order_deliver *deliver;
    void *context;
    struct perf_order_item *items;
    size_t count, size;
    uint64_t newest, newest_before; // time of the newest record, and that at the end of the last round
};

// -ENOMEM.
int perf_order_add(struct perf_order *order, const char *at, uint64_t time);
// The end of a round.
void perf_order_round(struct perf_order *order);
// The end of the file.
void perf_order_finish(struct perf_order *order);
void perf_order_free(struct perf_order *order);

#endif
