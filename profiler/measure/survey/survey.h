// SPDX-License-Identifier: Apache-2.0
// Measures the machine: from every node's CPUs to every node's memory.
#ifndef PROFILER_MEASURE_SURVEY_SURVEY_H
#define PROFILER_MEASURE_SURVEY_SURVEY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"

struct survey_options {
    bool has_from, has_to;      // only these nodes
    struct cpulist from, to;
    bool skip[RESULT_METRICS];
    int64_t bytes;              // of a region; 0: chosen from caches and free memory
    const char *emulated;       // name of the emulated machine, or NULL
    // Called before each step, with the name of what is measured or of the memory that is made ready; done of total are
    // seconds by plan. May be NULL.
    void (*progress)(void *to, const char *what, double done, double total);
    void *progress_to;
};

// 0, also if interrupted by *stop or if nothing could be measured: the result says which. -ENOMEM. The caller frees the
// result.
int survey_run(struct result *result, const struct topology *t, const struct survey_options *options,
               const atomic_bool *stop);

#endif
