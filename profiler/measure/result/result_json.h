// SPDX-License-Identifier: Apache-2.0
#ifndef PROFILER_MEASURE_RESULT_RESULT_JSON_H
#define PROFILER_MEASURE_RESULT_RESULT_JSON_H

#include "core/text/json.h"
#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"

// The member "measured" that docs/measuring.md describes.
void result_json_measured(struct json *json, const struct result *result, const struct topology *t, const char *root);

#endif
