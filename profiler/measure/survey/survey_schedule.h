// SPDX-License-Identifier: Apache-2.0
// What a survey of a machine would measure, in how much memory and in what time: nothing is timed or mapped for it, so
// that it can be made of another machine's snapshot as well.
#ifndef PROFILER_MEASURE_SURVEY_SURVEY_SCHEDULE_H
#define PROFILER_MEASURE_SURVEY_SURVEY_SCHEDULE_H

#include "core/topology/topology.h"
#include "profiler/measure/memory/memory_extent.h"
#include "profiler/measure/result/result.h"
#include "profiler/measure/survey/survey.h"

struct survey_schedule_row {           // of the result's row of the same number
    struct cpulist nodes;       // whose memory: one node's, or for interleaved memory all of them
    char name[RESULT_TEXT];     // "memory of node 3", "interleaved memory"
    struct memory_extent extent;
    bool is_left_out;           // a note says why
    double seconds;
};

struct survey_schedule {
    struct survey_schedule_row *rows;
    size_t count;
    double seconds;             // where no number needs more than the usual repeats
    double most_seconds;        // where all do
};

// Makes the result's head, rows, columns and notes as well. -ENOMEM. The caller frees both.
int survey_schedule_make(struct survey_schedule *schedule, struct result *result, const struct topology *t,
                         const char *root, const struct survey_options *options);
void survey_schedule_free(struct survey_schedule *schedule);

// The share of the time that steps of a survey take: for the progress.
enum { SURVEY_SCHEDULE_REPEATS = 5 };      // and up to RESULT_REPEATS of what is noisy
#define SURVEY_SCHEDULE_SLICE_S 0.032      // 30 ms timed, a chunk to warm up, the threads' start
double survey_schedule_touch_s(size_t bytes, bool huge);
double survey_schedule_walk_s(size_t bytes);

#endif
