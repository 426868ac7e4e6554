// SPDX-License-Identifier: Apache-2.0
// Names of recordings: PROGRAM.PID.numaprof, or the user's pattern with %p (pid), %h (host), %r (repeat), %R (rank of a
// parallel job), %q{VAR} (a variable of the environment) and %%.
#ifndef PROFILER_OUTPUT_OUTPUT_NAME_H
#define PROFILER_OUTPUT_OUTPUT_NAME_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/recording/recording_queue.h"

struct output_name {
    const char *pattern;      // NULL: the default
    const char *program;      // as given on the command line
    pid_t pid;
    int repeat;               // from 1; repeats is how many there will be
    int repeats;
};

// -EINVAL: an unknown % or an unset variable (out then holds the piece that is wrong); -ENAMETOOLONG.
int output_name_make(char *out, size_t size, const struct output_name *name);

// The same; prints what is wrong.
int output_name_for(char *out, size_t size, const struct output_name *name);

// The name of this host as a part of a file's name: without slashes, spaces and control characters.
void output_name_host(char host[HOST_NAME_MAX + 1]);

#define OUTPUT_NAME_MORE_PROCESSES "allow more processes: ulimit -u, or pids.max of the control group"

// What helps against an error (-errno) of creating or writing the file of that name.
const char *output_name_remedy(int error);
const char *output_name_cause(int error);

// Creates the recording of that name. Prints what is wrong and returns an exit status, or 0.
int output_name_create(struct recording_queue **queue, const char *path);

#endif
