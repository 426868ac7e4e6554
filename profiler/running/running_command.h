// SPDX-License-Identifier: Apache-2.0
#ifndef PROFILER_RUNNING_RUNNING_COMMAND_H
#define PROFILER_RUNNING_RUNNING_COMMAND_H

#include "profiler/running/running.h"

// Sets target, arguments and folder of the first process in the list. -ENOMEM.
int running_command_read(struct running *running);

#endif
