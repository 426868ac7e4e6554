// SPDX-License-Identifier: Apache-2.0
#include "core/system/rank.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

// RANK is a common name: only torchrun sets the other variable beside it.
static bool rank_is_of_torchrun(void)
{
    return getenv("TORCHELASTIC_RUN_ID") != NULL;
}

// A batch script is no step.
static bool rank_is_of_slurm_step(void)
{
    const char *step = getenv("SLURM_STEP_ID");
    return step && *step >= '0' && *step <= '9' && getenv("SLURM_STEP_NUM_TASKS");
}

// Variables as the launchers document them; the order is that of trust. NULL: the launcher does not tell.
static const struct rank_launcher {
    const char *name, *number, *size, *local_number, *local_size, *job;
    bool (*is_meant)(void);      // NULL: wherever the variable of the number is set
    int (*count_local)(void);    // where no variable holds local_size
} rank_launchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
     .job = "PMIX_NAMESPACE"},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", .job = NULL},
    {"PALS", "PALS_RANKID", NULL, "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", .job = "PALS_APID"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", NULL, .job = "FLUX_JOB_ID"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", .job = "TORCHELASTIC_RUN_ID",
     .is_meant = rank_is_of_torchrun},
    // Hydra (MPICH, Intel MPI); Slurm's own PMI sets PMI_RANK as well, without the local ones.
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", .job = NULL},
    {"PMIx", "PMIX_RANK", NULL, NULL, NULL, .job = "PMIX_NAMESPACE"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", NULL, .job = "SLURM_JOB_ID",
     .is_meant = rank_is_of_slurm_step, .count_local = rank_slurm_local_size},
};

bool rank_read(struct rank *rank)
{
    for (size_t i = 0; i < sizeof rank_launchers / sizeof *rank_launchers; i++) {
        const struct rank_launcher *l = &rank_launchers[i];
        int number = rank_number(l->number);
        if (number < 0 || (l->is_meant && !l->is_meant()))
            continue;
        *rank = (struct rank){.launcher = l->name,
                              .job = l->job ? getenv(l->job) : NULL,
                              .number = number,
                              .size = rank_number(l->size),
                              .local_number = rank_number(l->local_number),
                              .local_size = l->count_local ? l->count_local() : rank_number(l->local_size)};
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
