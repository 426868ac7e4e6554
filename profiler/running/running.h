// SPDX-License-Identifier: Apache-2.0
// Processes that run already: looked at, and refused with a reason where they cannot be measured.
#ifndef PROFILER_RUNNING_RUNNING_H
#define PROFILER_RUNNING_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/launch/target.h"

struct running_process {
    pid_t pid;
    int64_t age_ns;          // how long it has run; -1: not known
};

struct running {
    struct running_process *processes;
    size_t count;
    struct target target;    // what the first of them runs
    char *command;           // its arguments, each with its NUL, in /proc/PID/cmdline's order
    char **arguments;        // point into command; NULL-terminated, at least one
    char cwd[PATH_MAX];      // "": not known
    char group[PATH_MAX];    // folder of the control group they were found in; "": none
    size_t refused;          // of the group or of the descendants, that cannot be looked into
};

// Reads a list of process ids, separated by commas. Prints what is wrong and returns an exit status, or 0: 126 a
// process cannot be measured, 127 there is none. running_free frees it in both cases.
int running_find(struct running *running, const char *list);
// The same, and all descendants of these processes that can be measured.
int running_find_family(struct running *running, const char *list);
// The same of all processes of a control group and of the groups within; those that cannot be measured are left out.
// path: below /sys/fs/cgroup, with or without that.
int running_find_group(struct running *running, const char *path);

// Sets found to the processes that are in the list's group by now; without a group, to those of the list and all their
// descendants. Unchecked. -errno.
int running_now(const struct running *list, struct running *found);

// Adds every process of the machine but this one, unchecked. -errno.
int running_all_processes(struct running *running);

// How many threads the processes have now.
size_t running_threads(const struct running *running);

// Whether it can be measured; sets its age.
bool running_is_measurable(struct running_process *process);
// Whether it is there, but our rights do not suffice.
bool running_is_foreign(const struct running_process *process);

void running_free(struct running *running);

// Age of the oldest, rounded up to seconds; 0: none is known.
int64_t running_oldest_s(const struct running *running);

#endif
