// SPDX-License-Identifier: Apache-2.0
// What was measured: for each metric, memory and node of CPUs the values of the repeats; and sentences about what was
// left out. Medians and spreads come from here.
#ifndef PROFILER_MEASURE_RESULT_RESULT_H
#define PROFILER_MEASURE_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/measure/result/result_metric.h"

enum {
    RESULT_REPEATS = 9,         // at most
    RESULT_TEXT = 64,
    RESULT_NOTE_BYTES = 256,
    RESULT_NOTES = 48,
    RESULT_INTERLEAVED = -1,    // the memory of all nodes, page by page
};

struct result_cell {
    double values[RESULT_REPEATS]; // ns, bytes per second, ns a line
    int count;
    double kept_ns, lost_ns;    // lost: the kernel gave the CPU to somebody else
    uint64_t lines;             // walked, read, written or copied by all threads, also those that were not timed
};

struct result_spread {
    double median, low, high;
    double middle;              // how far the middle half of the repeats lies apart, as a share of the median
};

struct result {
    char at[RESULT_TEXT];       // UTC
    char kernels[RESULT_TEXT];
    char emulated[RESULT_TEXT]; // name of the emulated machine: then the values mean nothing
    int64_t buffer_bytes;       // the smallest region that was used
    int64_t llc_bytes;          // the largest last-level cache of a node; -1 unknown
    bool has_huge_pages;
    bool is_interrupted;
    size_t from_count, to_count;
    int *from, *to;             // numbers of nodes; to may end with RESULT_INTERLEAVED
    struct result_cell *cells;  // [metric][to][from]
    size_t note_count;
    char notes[RESULT_NOTES][RESULT_NOTE_BYTES];
};

// -ENOMEM. The lists are copied.
int result_make(struct result *result, const int *from, size_t from_count, const int *to, size_t to_count);
void result_free(struct result *result);

struct result_cell *result_cell(const struct result *result, enum result_metric_id metric, size_t to, size_t from);
// By number of node; NULL: not there, or not measured.
const struct result_cell *result_find(const struct result *result, enum result_metric_id metric, int to, int from);

void result_note(struct result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Sorts the values. NaN of none.
double result_median(double *values, size_t count);
// False: nothing was measured.
bool result_spread(const struct result_cell *cell, struct result_spread *spread);
// A value with a middle half this wide says nothing about 10 %.
#define RESULT_NOISY 0.10
bool result_is_noisy(const struct result_cell *cell);
// Share of all cells that are noisy, and of all time that others took.
double result_noise(const struct result *result);
double result_lost(const struct result *result);
// Too much of either for any remark.
bool result_is_too_noisy(const struct result *result);

// The value beside that of the same CPUs with their own memory; NaN: not known.
double result_relative(const struct result *result, enum result_metric_id metric, size_t to, size_t from);

#endif
