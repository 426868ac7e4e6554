// SPDX-License-Identifier: Apache-2.0
// Starts the target so that everything can be prepared between its birth and its first instruction.
#ifndef PROFILER_LAUNCH_LAUNCH_H
#define PROFILER_LAUNCH_LAUNCH_H

#include <signal.h>
#include <sys/types.h>

#include "profiler/launch/target.h"

struct launch {
    pid_t pid;
    int go;                // writing here starts it
    int failed;            // tells why exec failed
};

// Forks; the child waits for launch_go. signals: the mask and the dispositions it gets are those this process had before
// (mask: as given). environment: NAME=VALUE texts to set, NULL-terminated.
int launch_prepare(struct launch *launch, const struct target *target, char **arguments, const sigset_t *mask,
                   char *const *environment);

// Lets it run. 0, or -errno of its exec: then it has ended, unreaped.
int launch_go(struct launch *launch);

// Takes it back before it ran.
void launch_cancel(struct launch *launch);

#endif
