// SPDX-License-Identifier: Apache-2.0
#include "core/system/rank.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
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

// SLURM_GTIDS has the numbers of this host's ranks; those of another step, inherited, do not have this one in its
// place.
static int rank_slurm_local_size(void)
{
    const char *text = getenv("SLURM_GTIDS");
    const int number = rank_number("SLURM_PROCID"), place = rank_number("SLURM_LOCALID");
    int count = 0;
    bool is_listed = false;
    for (char *end; text && *text >= '0' && *text <= '9'; text = *end == ',' ? end + 1 : end) {
        is_listed |= strtol(text, &end, 10) == number && count == place;
        count++;
    }
    return is_listed && *text == '\0' ? count : -1;
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

// On HPE Cray systems, Slurm (mpi/cray_shasta) and Flux (cray-pals) set PALS' variables for Cray MPICH, without sizes.
static bool rank_is_of_pals(void)
{
    return !rank_is_of_slurm_step();
}

// Slurm's own PMI-2 sets PMI_RANK as well, but not what Hydra sets beside it.
static bool rank_is_of_hydra(void)
{
    return getenv("MPI_LOCALRANKID") || !rank_is_of_slurm_step();
}

// Slurm's own PMIx tells less than its other variables.
static bool rank_is_of_other_pmix(void)
{
    const char *job = getenv("PMIX_NAMESPACE");
    return !job || strncmp(job, "slurm.pmix.", strlen("slurm.pmix.")) != 0 || !rank_is_of_slurm_step();
}

// Variables as the launchers document them; the order is that of trust. NULL: the launcher does not tell.
static const struct rank_launcher {
    const char *name, *number, *size, *local_number, *local_size, *job, *step;
    bool (*is_meant)(void);      // NULL: wherever the variable of the number is set
    int (*count_local)(void);    // where no variable holds local_size
} rank_launchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", .job = "PMIX_NAMESPACE"},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE",
     .job = NULL},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", NULL, .job = "FLUX_JOB_ID"},
    {"PALS", "PALS_RANKID", "PMI_SIZE", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", .job = "PALS_APID",
     .is_meant = rank_is_of_pals},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", .job = "TORCHELASTIC_RUN_ID",
     .is_meant = rank_is_of_torchrun},
    // Hydra (MPICH, Intel MPI)
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", .job = NULL, .is_meant = rank_is_of_hydra},
    {"PMIx", "PMIX_RANK", NULL, NULL, NULL, .job = "PMIX_NAMESPACE", .is_meant = rank_is_of_other_pmix},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", NULL, .job = "SLURM_JOB_ID",
     .step = "SLURM_STEP_ID", .is_meant = rank_is_of_slurm_step, .count_local = rank_slurm_local_size},
};

static void rank_name_job(struct rank *rank, const struct rank_launcher *launcher)
{
    const char *job = launcher->job ? getenv(launcher->job) : NULL;
    const char *step = launcher->step ? getenv(launcher->step) : NULL;
    if (job)
        snprintf(rank->job, sizeof rank->job, "%s%s%s", job, step ? "." : "", step ? step : "");
}

bool rank_read(struct rank *rank)
{
    for (size_t i = 0; i < sizeof rank_launchers / sizeof *rank_launchers; i++) {
        const struct rank_launcher *l = &rank_launchers[i];
        int number = rank_number(l->number);
        if (number < 0 || (l->is_meant && !l->is_meant()))
            continue;
        *rank = (struct rank){.launcher = l->name,
                              .number = number,
                              .size = rank_number(l->size),
                              .local_number = rank_number(l->local_number),
                              .local_size = l->count_local ? l->count_local() : rank_number(l->local_size)};
        rank_name_job(rank, l);
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
