// SPDX-License-Identifier: Apache-2.0
// What is measured: one row per number, with its name in JSON and recordings, its unit and what it takes to measure it.
#ifndef PROFILER_MEASURE_METRIC_H
#define PROFILER_MEASURE_METRIC_H

#include <stdbool.h>

#include "profiler/measure/kernels.h"
#include "profiler/measure/walk.h"

enum metric_id {
    METRIC_LATENCY_RANDOM,
    METRIC_LATENCY_RANDOM_4K,
    METRIC_LATENCY_WINDOW,
    METRIC_LATENCY_WINDOW_4K,
    METRIC_LATENCY_RANDOM_PAUSES,
    METRIC_LATENCY_WINDOW_PAUSES,
    METRIC_LATENCY_LOADED,
    METRIC_READ,
    METRIC_READ_PREFETCH,
    METRIC_WRITE,
    METRIC_WRITE_NT,
    METRIC_COPY,
    METRIC_COPY_NT,
    METRIC_READ_ALL,
    METRIC_READ_PREFETCH_ALL,
    METRIC_WRITE_ALL,
    METRIC_WRITE_NT_ALL,
    METRIC_COPY_ALL,
    METRIC_COPY_NT_ALL,
    METRIC_STRIDE_WRITE,
    METRIC_FIRST_RUN,
    METRIC_LATER_RUN,
    METRICS
};

enum metric_group {
    METRIC_LATENCY,             // ns for one load that waits for the one before
    METRIC_ONE_CORE,            // bytes per second; a copy counts what it reads and what it writes
    METRIC_ALL_CORES,           // the same, one thread on every core of the node
    METRIC_LINES,               // ns for each line of 64 bytes
};

struct metric {
    const char *name;
    const char *title;
    enum metric_group group;
    enum kernels_op op;         // not of latency
    enum walk_order order;      // of latency
    bool pauses;                // between loads, so that the memory is idle at each
    bool small_pages;           // on 4 KiB pages, whatever else there is
};

const struct metric *metric_get(enum metric_id id);

const char *metric_group_title(enum metric_group group);
// In JSON and recordings: ns, bytes_per_s, ns_per_line.
const char *metric_unit(const struct metric *metric);
// Nanoseconds are better if fewer.
bool metric_is_time(const struct metric *metric);

#endif
