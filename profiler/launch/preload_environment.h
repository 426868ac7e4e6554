// SPDX-License-Identifier: Apache-2.0
// What the target's environment gets so that it loads the preload library: to be recorded, placed, or both.
#ifndef PROFILER_LAUNCH_PRELOAD_ENVIRONMENT_H
#define PROFILER_LAUNCH_PRELOAD_ENVIRONMENT_H

#include "profiler/launch/placing.h"
#include "profiler/launch/target.h"

struct preload_environment {
    char library[PATH_MAX];          // path of the preload library; "": there is none
    char preload[2 * PATH_MAX], channel[PATH_MAX], restore[PATH_MAX + 32]; // NAME=VALUE
    char *variables[6];              // as putenv wants them; NULL at the end
};

// channel: address of the recorder's (CHANNEL_ENVIRONMENT); placing: a placement file. Either may be NULL. -ENOENT: the
// library is not installed; -EINVAL: its path cannot be written in LD_PRELOAD. Then the environment stays empty.
int preload_environment_make(struct preload_environment *environment, const struct target *target, const char *channel,
                             struct placing *placing);

#endif
