// SPDX-License-Identifier: Apache-2.0
// The topology as JSON; docs/topology.md describes it.
#ifndef PROFILER_COMMANDS_TOPOLOGY_CMD_TOPOLOGY_JSON_H
#define PROFILER_COMMANDS_TOPOLOGY_CMD_TOPOLOGY_JSON_H

#include <stdio.h>

#include "core/topology/topology.h"
#include "profiler/measure/result/result.h"

// measured: what was measured just now, or NULL. 0 or -ENOMEM.
int cmd_topology_json_print(FILE *file, const struct topology *t, const struct result *measured, const char *root);

#endif
