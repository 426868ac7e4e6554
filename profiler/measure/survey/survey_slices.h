// SPDX-License-Identifier: Apache-2.0
// Measures one row: all metrics of one memory, from every node's CPUs, slice by slice.
#ifndef PROFILER_MEASURE_SURVEY_SURVEY_SLICES_H
#define PROFILER_MEASURE_SURVEY_SURVEY_SLICES_H

#include "profiler/measure/memory/memory_region.h"
#include "profiler/measure/survey/survey.h"

struct survey_slices {
    struct result *result;
    const struct topology *t;
    const struct survey_options *options;
    const atomic_bool *stop;
    size_t to;                  // the row
    double done_s, plan_s;      // for progress
};

// Tells the progress of a step that takes so long by plan.
void survey_slices_step(struct survey_slices *slices, const char *what, double seconds);

// -EINTR, -ENOMEM; what cannot be measured becomes a note.
int survey_slices_measure(struct survey_slices *slices, struct memory_region *region, bool is_huge);

#endif
