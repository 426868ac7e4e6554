// SPDX-License-Identifier: Apache-2.0
// Starts the target so that everything can be prepared between its birth and its first instruction.
#ifndef PROFILER_LAUNCH_LAUNCH_H
#define PROFILER_LAUNCH_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "profiler/launch/target.h"

// What this process found at its start, as exec keeps it: the target gets the signals so.
struct launch_signals {
    sigset_t mask;
    bool ignores_child;    // SIGCHLD was ignored, as some supervisors do
    pid_t others[64];      // children that are not ours, such as background jobs of a shell that executed us
    size_t other_count;
};

struct launch {
    pid_t pid;
    int go;                // writing here starts it
    int failed;            // tells why exec failed
};

// Forks; the child waits for launch_start. signals: what the child gets. environment: NAME=VALUE texts to set,
// NULL-terminated.
int launch_prepare(struct launch *launch, const struct target *target, char **arguments,
                   const struct launch_signals *signals, char *const *environment);

// Lets it run. Where it cannot be: reaps it, says why, and returns the exit status of the design (126, 127); else 0.
int launch_start(struct launch *launch, const struct target *target);

// Takes it back before it ran.
void launch_cancel(struct launch *launch);

#endif
