// SPDX-License-Identifier: Apache-2.0
// The directory that all ranks of a parallel job record into: one file each, with rank, host and pid in its name, so
// that ranks never meet. On a network file system a rank records to storage of its own host, and moves the recording at
// the end.
#ifndef PROFILER_OUTPUT_JOB_DIRECTORY_H
#define PROFILER_OUTPUT_JOB_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>

#include "profiler/output/output_name.h"

#define JOB_DIRECTORY_DEFAULT "job.numaprof"

struct job_directory {
    bool is_first;               // rank 0: says what the others need not repeat
    char folder[PATH_MAX];       // that the ranks share
    char path[PATH_MAX];         // the recording in it; while the rank records elsewhere, a symbolic link to there
    char scratch[PATH_MAX];      // folder of our own on this host; "": the rank records to path
    char recording[PATH_MAX];    // where the rank records
};

// The run is a rank of several, and the pattern (NULL: the default) names no file for each.
bool job_directory_is_meant(const char *pattern);

// Makes the folder, and chooses where to record. Prints what is wrong: -errno.
int job_directory_open(struct job_directory *job, const struct output_name *name);

// Moves the finished recording into the folder. Prints what is wrong: -errno; the recording then stays where it is.
int job_directory_close(struct job_directory *job);

// Removes what open made besides the folder, after a run that recorded nothing.
void job_directory_cancel(struct job_directory *job);

#endif
