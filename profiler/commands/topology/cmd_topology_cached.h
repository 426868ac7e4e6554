// SPDX-License-Identifier: Apache-2.0
// What topology --measure shows without measuring: what it would do, and what it has once found and cached.
#ifndef PROFILER_COMMANDS_TOPOLOGY_CMD_TOPOLOGY_CACHED_H
#define PROFILER_COMMANDS_TOPOLOGY_CMD_TOPOLOGY_CACHED_H

#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"
#include "profiler/measure/survey/survey.h"

// Prints it. 0, -ENOMEM.
int cmd_topology_cached_plan(const struct topology *t, const char *root, struct survey_options *options);

// file: NULL is this machine's own. Says what is wrong and returns -EINVAL. The caller frees the result.
int cmd_topology_cached_load(struct result *result, const struct topology *t, const char *root, const char *file);

#endif
