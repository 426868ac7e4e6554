// SPDX-License-Identifier: Apache-2.0
// What a reader should be told about the numbers: how far to trust them, where the firmware says otherwise, and which
// nodes differ though they are at equal distance.
#ifndef PROFILER_MEASURE_RESULT_RESULT_VERDICT_H
#define PROFILER_MEASURE_RESULT_RESULT_VERDICT_H

#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"

// Adds notes to the result.
void result_verdict_add(struct result *result, const struct topology *t, const char *root);

#endif
