// SPDX-License-Identifier: Apache-2.0
// The topology as JSON; docs/topology.md describes it.
#ifndef PROFILER_TOPOLOGY_JSON_H
#define PROFILER_TOPOLOGY_JSON_H

#include <stdio.h>

#include "core/topology.h"
#include "profiler/measure/result.h"

// measured: what was measured just now, or NULL. 0 or -ENOMEM.
int topology_json_print(FILE *file, const struct topology *t, const struct result *measured,
                        const char *root);

#endif
