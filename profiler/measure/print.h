// SPDX-License-Identifier: Apache-2.0
// The result as text for people: one line for each metric and memory, one column for each node's CPUs.
#ifndef PROFILER_MEASURE_PRINT_H
#define PROFILER_MEASURE_PRINT_H

#include "core/topology.h"
#include "profiler/measure/result.h"

// The topology is for the firmware's distances.
void print_result(const struct result *result, const struct topology *t);

#endif
