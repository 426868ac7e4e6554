// SPDX-License-Identifier: Apache-2.0
#ifndef PROFILER_LAUNCH_RUNNING_COMMAND_H
#define PROFILER_LAUNCH_RUNNING_COMMAND_H

#include "profiler/launch/running.h"

// Sets target, arguments and folder of the first process in the list. -ENOMEM.
int running_command_read(struct running *running);

#endif
