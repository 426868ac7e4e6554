// SPDX-License-Identifier: Apache-2.0
// numaprof topology --measure: runs the survey with progress and Ctrl-C, says what came of it, and stores it.
#ifndef PROFILER_COMMANDS_TOPOLOGY_CMD_TOPOLOGY_MEASURE_H
#define PROFILER_COMMANDS_TOPOLOGY_CMD_TOPOLOGY_MEASURE_H

#include "core/topology/topology.h"
#include "profiler/measure/survey/survey.h"
#include "profiler/measure/survey/survey_interrupt.h"

// Texts of the command line; NULL: not given.
struct cmd_topology_measure {
    const char *from, *to, *only, *size;
};

// Reads the texts; says what is wrong with them and returns -EINVAL.
int cmd_topology_measure_parse(struct survey_options *options, const struct cmd_topology_measure *texts,
                               const struct topology *t);

// Returns the exit status: 0, 128 + the signal's number, or that of a failure. The caller frees the result.
int cmd_topology_measure(struct result *result, const struct topology *t, struct survey_options *options,
                         const struct survey_interrupt *interrupt);

#endif
