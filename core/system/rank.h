// SPDX-License-Identifier: Apache-2.0
// Which rank of a parallel job this process is, by the variables that launchers set: MPI's, PMI's, torchrun's, Slurm's.
#ifndef CORE_SYSTEM_RANK_H
#define CORE_SYSTEM_RANK_H

#include <stdbool.h>

enum { RANK_JOB_BYTES = 256 }; // PMIX_MAX_NSLEN + 1

struct rank {
    const char *launcher;        // "Open MPI", "MPICH", "PALS", "Flux", "torchrun", "Slurm", ...
    char job[RANK_JOB_BYTES];    // the launcher's name of the job, of Slurm JOB.STEP; empty: not told
    int number, size;            // in the job; size -1: not told
    int local_number, local_size; // among the ranks of this host; -1: not told
};

// False if no launcher's variables are set. A launcher's own variables come before those of the batch system around it,
// whose script is a rank 0 of its own.
bool rank_read(struct rank *rank);

// The part of count CPU slots that is this rank's where the ranks of a host share them: *first and the number returned,
// at least 1. All of them if it is not told how many ranks there are.
int rank_share(const struct rank *rank, int count, int *first);

#endif
