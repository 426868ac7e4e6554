// SPDX-License-Identifier: Apache-2.0
// The result as text for people: one line for each metric and memory, one column for each node's CPUs. And before it
// is measured, what will be.
#ifndef PROFILER_MEASURE_SURVEY_SURVEY_PRINT_H
#define PROFILER_MEASURE_SURVEY_SURVEY_PRINT_H

#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"
#include "profiler/measure/survey/survey_schedule.h"

// The topology and what is below root are for the firmware's claims.
void survey_print_result(const struct result *result, const struct topology *t, const char *root);
void survey_print_schedule(const struct survey_schedule *schedule, const struct result *result);

#endif
