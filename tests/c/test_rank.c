// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/system/rank.h"
#include "core/topology/rank_place.h"
#include "tests/c/check.h"

static struct rank read_rank(void)
{
    struct rank rank = {.number = -2};
    CHECK(rank_read(&rank));
    return rank;
}

TEST(without_a_launcher_there_is_no_rank)
{
    struct rank rank;
    clearenv();
    CHECK(!rank_read(&rank));
    setenv("RANK", "3", 1); // anybody's variable
    setenv("PMI_RANK", "x", 1);
    setenv("OMPI_COMM_WORLD_RANK", "-1", 1);
    CHECK(!rank_read(&rank));
}

TEST(the_launcher_comes_before_the_batch_system)
{
    clearenv();
    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_JOB_ID", "77", 1);
    struct rank rank;
    CHECK(!rank_read(&rank)); // a batch script
    setenv("SLURM_STEP_ID", "0", 1);
    setenv("SLURM_STEP_NUM_TASKS", "8", 1);
    setenv("SLURM_NTASKS", "16", 1); // of the batch job, where the step has another number
    setenv("SLURM_GTIDS", "0,1,2,3", 1);
    setenv("SLURM_PROCID", "3", 1);
    setenv("SLURM_LOCALID", "3", 1);
    rank = read_rank();
    CHECK_STR(rank.launcher, "Slurm");
    CHECK_STR(rank.job, "77.0");
    CHECK_EQ(rank.size, 8);
    CHECK_EQ(rank.local_size, 4);
    CHECK_EQ(rank.local_number, 3);
    setenv("OMPI_COMM_WORLD_RANK", "5", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "8", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    rank = read_rank();
    CHECK_STR(rank.launcher, "Open MPI");
    CHECK_EQ(rank.number, 5);
    CHECK_EQ(rank.size, 8);
    CHECK_EQ(rank.local_size, 2);
}

// Variables as each launcher's documentation names them; the job's name where the launcher tells it.
TEST(each_launcher_is_known_by_its_own_variables)
{
    static const struct {
        const char *launcher, *variables[5][2];
        struct rank rank; // job, number, size, local number and size
    } cases[] = {
        {"Open MPI", {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, {"PMIX_NAMESPACE", "o1"}}, {NULL, "o1", 5, 8, 1, 4}},
        {"MVAPICH", {{"MV2_COMM_WORLD_RANK", "5"}, {"MV2_COMM_WORLD_SIZE", "8"}, {"MV2_COMM_WORLD_LOCAL_RANK", "1"},
                     {"MV2_COMM_WORLD_LOCAL_SIZE", "4"}}, {NULL, "", 5, 8, 1, 4}},
        {"MPICH", {{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "4"}},
         {NULL, "", 5, 8, 1, 4}},
        {"PMIx", {{"PMIX_RANK", "5"}, {"PMIX_NAMESPACE", "p1"}}, {NULL, "p1", 5, -1, -1, -1}},
        {"PALS", {{"PALS_RANKID", "5"}, {"PMI_SIZE", "8"}, {"PALS_LOCAL_RANKID", "1"}, {"PALS_LOCAL_SIZE", "4"},
                  {"PALS_APID", "a1"}}, {NULL, "a1", 5, 8, 1, 4}},
        {"Flux", {{"FLUX_TASK_RANK", "5"}, {"FLUX_JOB_SIZE", "8"}, {"FLUX_TASK_LOCAL_ID", "1"}, {"FLUX_JOB_ID", "f1"}},
         {NULL, "f1", 5, 8, 1, -1}},
        {"torchrun", {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"},
                      {"TORCHELASTIC_RUN_ID", "t1"}}, {NULL, "t1", 5, 8, 1, 4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clearenv();
        for (size_t k = 0; k < 5 && cases[i].variables[k][0]; k++)
            setenv(cases[i].variables[k][0], cases[i].variables[k][1], 1);
        struct rank found = read_rank();
        CHECK_STR(found.launcher, cases[i].launcher);
        CHECK_STR(found.job, cases[i].rank.job);
        CHECK_EQ(found.number, cases[i].rank.number);
        CHECK_EQ(found.size, cases[i].rank.size);
        CHECK_EQ(found.local_number, cases[i].rank.local_number);
        CHECK_EQ(found.local_size, cases[i].rank.local_size);
    }
}

// Task 2 of srun -n 3 on two nodes, as Slurm 22.05 starts it.
static void set_slurm_task(void)
{
    clearenv();
    setenv("SLURM_JOB_ID", "2", 1);
    setenv("SLURM_STEP_ID", "1", 1);
    setenv("SLURM_STEP_NUM_TASKS", "3", 1);
    setenv("SLURM_PROCID", "2", 1);
    setenv("SLURM_LOCALID", "0", 1);
    setenv("SLURM_GTIDS", "2", 1);
}

TEST(nodes_may_have_different_numbers_of_tasks)
{
    set_slurm_task();
    CHECK_EQ(read_rank().local_size, 1);
    setenv("SLURM_GTIDS", "0,2", 1); // cyclic, but then this is not task 0 of the node
    CHECK_EQ(read_rank().local_size, -1);
    setenv("SLURM_LOCALID", "1", 1);
    CHECK_EQ(read_rank().local_size, 2);
    setenv("SLURM_GTIDS", "0,2-5", 1);
    CHECK_EQ(read_rank().local_size, -1);
    unsetenv("SLURM_GTIDS");
    CHECK_EQ(read_rank().local_size, -1);
}

TEST(slurms_own_pmi_is_slurm)
{
    set_slurm_task();
    setenv("PMI_RANK", "2", 1); // srun --mpi=pmi2
    setenv("PMI_SIZE", "3", 1);
    CHECK_STR(read_rank().launcher, "Slurm");
    CHECK_EQ(read_rank().local_size, 1);
    setenv("MPI_LOCALRANKID", "1", 1); // Hydra, whose proxies Slurm started
    setenv("MPI_LOCALNRANKS", "2", 1);
    CHECK_STR(read_rank().launcher, "MPICH");
    CHECK_EQ(read_rank().local_size, 2);
    set_slurm_task();
    setenv("PMIX_RANK", "2", 1); // srun --mpi=pmix
    setenv("PMIX_NAMESPACE", "slurm.pmix.2.1", 1);
    CHECK_STR(read_rank().launcher, "Slurm");
    CHECK_STR(read_rank().job, "2.1");
    setenv("PMIX_NAMESPACE", "prterun-n1-4711@1", 1); // PRRTE, whose daemons Slurm started
    CHECK_STR(read_rank().launcher, "PMIx");
    CHECK_STR(read_rank().job, "prterun-n1-4711@1");
}

// Variables as Slurm's plugin mpi/cray_shasta and Flux's plugin cray-pals set them beside their own.
TEST(variables_of_pals_may_be_of_slurm_or_flux)
{
    set_slurm_task();
    setenv("PALS_RANKID", "2", 1);
    setenv("PALS_LOCAL_RANKID", "0", 1);
    setenv("PALS_APID", "2.1", 1);
    setenv("PMI_RANK", "2", 1);
    setenv("PMI_SIZE", "3", 1);
    CHECK_STR(read_rank().launcher, "Slurm");
    CHECK_EQ(read_rank().size, 3);
    CHECK_EQ(read_rank().local_size, 1);
    unsetenv("SLURM_STEP_ID"); // PALS itself, in a batch job
    CHECK_STR(read_rank().launcher, "PALS");
    CHECK_EQ(read_rank().size, 3);
    setenv("FLUX_TASK_RANK", "2", 1);
    setenv("FLUX_JOB_SIZE", "4", 1);
    setenv("FLUX_JOB_ID", "f1", 1);
    CHECK_STR(read_rank().launcher, "Flux");
    CHECK_EQ(read_rank().size, 4);
}

TEST(ranks_of_a_host_share_all_slots_and_none_twice)
{
    for (int count = 1; count <= 9; count++) {
        for (int size = 1; size <= count; size++) {
            int next = 0;
            for (int number = 0; number < size; number++) {
                int first,
                    length = rank_share(&(struct rank){.local_number = number, .local_size = size}, count, &first);
                CHECK_EQ(first, next);
                CHECK(length >= 1);
                next = first + length;
            }
            CHECK_EQ(next, count);
        }
    }
}

TEST(more_ranks_than_slots_get_one_each_in_turn)
{
    int first;
    CHECK_EQ(rank_share(&(struct rank){.local_number = 5, .local_size = 8}, 4, &first), 1);
    CHECK_EQ(first, 1);
    CHECK_EQ(rank_share(&(struct rank){.local_number = -1, .local_size = -1}, 4, &first), 4);
    CHECK_EQ(first, 0);
}

TEST(ranks_of_the_same_cpus_hold_different_places)
{
    struct rank rank = {.launcher = "test"};
    struct cpulist cpus, others;
    int held[5], place;
    snprintf(rank.job, sizeof rank.job, "%d", (int)getpid());
    CHECK_EQ(cpulist_parse(&cpus, "0-3"), 0);
    CHECK_EQ(cpulist_parse(&others, "0-4"), 0);
    for (int i = 0; i < 3; i++) {
        held[i] = rank_place_claim(&rank, &cpus, &place);
        CHECK(held[i] >= 0);
        CHECK_EQ(place, i);
    }
    held[3] = rank_place_claim(&rank, &others, &place);
    CHECK_EQ(place, 0);
    close(held[1]); // ended, however
    held[1] = rank_place_claim(&rank, &cpus, &place);
    CHECK_EQ(place, 1);
    rank.job[0] ^= 1;
    held[4] = rank_place_claim(&rank, &cpus, &place);
    CHECK_EQ(place, 0);
    for (int i = 0; i < 5; i++)
        close(held[i]);
}

TEST(places_begin_as_far_apart_as_they_can)
{
    for (int place = 0; place < 4; place++)
        CHECK_EQ(rank_place_first_slot(place, 4, 32), place * 8);
    static const int between[] = {0, 16, 8, 24, 4, 20, 12, 28};
    for (int place = 0; place < 8; place++) {
        CHECK_EQ(rank_place_first_slot(place, 0, 32), between[place]);
        CHECK_EQ(rank_place_first_slot(place, 1, 32), between[place]); // more than the host's numbers let expect
    }
    for (int place = 0; place < 5000; place++)
        CHECK(rank_place_first_slot(place, 3, 7) < 7);
}
