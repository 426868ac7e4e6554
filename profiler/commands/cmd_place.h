// SPDX-License-Identifier: Apache-2.0
// numaprof run --place FILE: the program with a placement, and nothing measured.
#ifndef PROFILER_COMMANDS_CMD_PLACE_H
#define PROFILER_COMMANDS_CMD_PLACE_H

#include "profiler/launch/launch.h"
#include "profiler/launch/placing.h"
#include "profiler/launch/run_options.h"
#include "profiler/launch/target.h"

// Returns the exit status: the program's, as often as the options repeat it, or the first that is not 0.
int cmd_place_run(const struct run_options *options, const struct target *target, const struct launch_signals *signals);

#endif
