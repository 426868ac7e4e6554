// SPDX-License-Identifier: Apache-2.0
// What topology --measure shows without measuring: what it would do, and what it has once found and kept.
#ifndef PROFILER_TOPOLOGY_KEPT_H
#define PROFILER_TOPOLOGY_KEPT_H

#include "core/topology.h"
#include "profiler/measure/result.h"
#include "profiler/measure/survey.h"

// Prints it. 0, -ENOMEM.
int topology_kept_plan(const struct topology *t, const char *root, struct survey_options *options);

// file: NULL is this machine's own. Says what is wrong and returns -EINVAL. The caller frees the result.
int topology_kept_load(struct result *result, const struct topology *t, const char *root, const char *file);

#endif
