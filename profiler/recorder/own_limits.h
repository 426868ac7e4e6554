// SPDX-License-Identifier: Apache-2.0
// Limits of the recorder itself while it records: it runs on another CPU than the target's first one, with a higher
// priority and more open files. The target was forked before and keeps the original ones.
#ifndef PROFILER_RECORDER_OWN_LIMITS_H
#define PROFILER_RECORDER_OWN_LIMITS_H

#include <stdbool.h>

#include "profiler/launch/file_limit.h"
#include "profiler/recorder/run/machine.h"

struct own_limits {                  // as they were before
    struct rlimit files;
    int nice;
    bool raised;
};

void own_limits_raise(struct own_limits *limits, const struct machine *machine);
void own_limits_return(const struct own_limits *limits, const struct machine *machine);

#endif
