// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "core/system/rank.h"
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
    setenv("SLURM_STEP_TASKS_PER_NODE", "4(x2)", 1);
    setenv("SLURM_LOCALID", "3", 1);
    rank = read_rank();
    CHECK_STR(rank.launcher, "Slurm");
    CHECK_STR(rank.job, "77");
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

TEST(nodes_with_different_numbers_of_tasks_tell_nothing)
{
    clearenv();
    setenv("SLURM_PROCID", "2", 1);
    setenv("SLURM_STEP_ID", "0", 1);
    setenv("SLURM_STEP_NUM_TASKS", "7", 1);
    setenv("SLURM_STEP_TASKS_PER_NODE", "4,3", 1);
    CHECK_EQ(read_rank().local_size, -1);
}

TEST(ranks_of_a_host_share_all_slots_and_none_twice)
{
    for (int count = 1; count <= 9; count++) {
        for (int size = 1; size <= count; size++) {
            int next = 0;
            for (int number = 0; number < size; number++) {
                int first, length = rank_share(&(struct rank){.local_number = number, .local_size = size}, count, &first);
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
