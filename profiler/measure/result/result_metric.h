// SPDX-License-Identifier: Apache-2.0
// What is measured: one row per number, with its name in JSON and recordings, its unit and what it takes to measure it.
#ifndef PROFILER_MEASURE_RESULT_RESULT_METRIC_H
#define PROFILER_MEASURE_RESULT_RESULT_METRIC_H

#include <stdbool.h>

#include "profiler/measure/kernels/kernels.h"
#include "profiler/measure/kernels/kernels_walk.h"

enum result_metric_id {
    RESULT_METRIC_LATENCY_RANDOM,
    RESULT_METRIC_LATENCY_RANDOM_4K,
    RESULT_METRIC_LATENCY_WINDOW,
    RESULT_METRIC_LATENCY_WINDOW_4K,
    RESULT_METRIC_LATENCY_RANDOM_PAUSES,
    RESULT_METRIC_LATENCY_WINDOW_PAUSES,
    RESULT_METRIC_LATENCY_LOADED,
    RESULT_METRIC_READ,
    RESULT_METRIC_READ_PREFETCH,
    RESULT_METRIC_WRITE,
    RESULT_METRIC_WRITE_NT,
    RESULT_METRIC_COPY,
    RESULT_METRIC_COPY_NT,
    RESULT_METRIC_READ_ALL,
    RESULT_METRIC_READ_PREFETCH_ALL,
    RESULT_METRIC_WRITE_ALL,
    RESULT_METRIC_WRITE_NT_ALL,
    RESULT_METRIC_COPY_ALL,
    RESULT_METRIC_COPY_NT_ALL,
    RESULT_METRIC_STRIDE_WRITE,
    RESULT_METRIC_FIRST_RUN,
    RESULT_METRIC_LATER_RUN,
    RESULT_METRICS
};

enum result_metric_group {
    RESULT_METRIC_LATENCY,             // ns for one load that waits for the one before
    RESULT_METRIC_ONE_CORE,            // bytes per second; a copy counts what it reads and what it writes
    RESULT_METRIC_ALL_CORES,           // the same, one thread on every core of the node
    RESULT_METRIC_LINES,               // ns for each line of 64 bytes
};

struct result_metric {
    const char *name;
    const char *title;
    enum result_metric_group group;
    enum kernels_op op;         // not of latency
    enum kernels_walk_order order;      // of latency
    bool pauses;                // between loads, so that the memory is idle at each
    bool small_pages;           // on 4 KiB pages, whatever else there is
};

const struct result_metric *result_metric_get(enum result_metric_id id);

const char *result_metric_group_title(enum result_metric_group group);
// In JSON and recordings: ns, bytes_per_s, ns_per_line.
const char *result_metric_unit(const struct result_metric *metric);
// Nanoseconds are better if fewer.
bool result_metric_is_time(const struct result_metric *metric);

#endif
