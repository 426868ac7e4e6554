// SPDX-License-Identifier: Apache-2.0
#include "core/system/rank.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Variables as the launchers document them; the order is that of trust. NULL: the launcher does not tell.
static const struct rank_launcher {
    const char *name, *number, *size, *local_number, *local_size, *job;
} rank_launchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "PMIX_NAMESPACE"},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", NULL},
    {"PALS", "PALS_RANKID", NULL, "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", "PALS_APID"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", NULL, "FLUX_JOB_ID"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID"},
    // Hydra (MPICH, Intel MPI); Slurm's own PMI sets PMI_RANK as well, without the local ones.
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", NULL},
    {"PMIx", "PMIX_RANK", NULL, NULL, NULL, "PMIX_NAMESPACE"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", NULL, "SLURM_JOB_ID"},
};

// A whole number that is not negative; -1: the variable is not set, or holds something else.
static int rank_number(const char *variable)
{
    const char *text = variable ? getenv(variable) : NULL;
    char *end;
    if (!text || *text < '0' || *text > '9')
        return -1;
    errno = 0;
    long number = strtol(text, &end, 10);
    return errno == 0 && *end == '\0' && number <= INT_MAX ? (int)number : -1;
}

// SLURM_TASKS_PER_NODE is "4(x2),3" by node; only where all nodes have as many is this host's number known.
static int rank_slurm_local_size(void)
{
    const char *text = getenv("SLURM_STEP_TASKS_PER_NODE");
    char *end;
    if (!text || strchr(text, ','))
        return -1;
    long number = strtol(text, &end, 10);
    return number > 0 && number < INT_MAX && (*end == '(' || *end == '\0') ? (int)number : -1;
}

// RANK is a common name: only torchrun sets the other variable beside it. A batch script of Slurm is no step.
static bool rank_is_meant(const struct rank_launcher *launcher)
{
    if (strcmp(launcher->name, "torchrun") == 0)
        return getenv("TORCHELASTIC_RUN_ID") != NULL;
    const char *step = getenv("SLURM_STEP_ID");
    return strcmp(launcher->name, "Slurm") != 0 || (step && *step >= '0' && *step <= '9' && getenv("SLURM_STEP_NUM_TASKS"));
}

bool rank_read(struct rank *rank)
{
    for (size_t i = 0; i < sizeof rank_launchers / sizeof *rank_launchers; i++) {
        const struct rank_launcher *l = &rank_launchers[i];
        int number = rank_number(l->number);
        if (number < 0 || !rank_is_meant(l))
            continue;
        *rank = (struct rank){.launcher = l->name,
                              .job = l->job ? getenv(l->job) : NULL,
                              .number = number,
                              .size = rank_number(l->size),
                              .local_number = rank_number(l->local_number),
                              .local_size = rank_number(l->local_size)};
        if (strcmp(l->name, "Slurm") == 0)
            rank->local_size = rank_slurm_local_size();
        return true;
    }
    return false;
}

int rank_share(const struct rank *rank, int count, int *first)
{
    int number = rank->local_number, size = rank->local_size;
    *first = 0;
    if (size < 1 || number < 0 || number >= size || count < 1)
        return count;
    if (size > count) {
        *first = number % count;
        return 1;
    }
    *first = (int)((long)number * count / size);
    return (int)(((long)number + 1) * count / size) - *first;
}
