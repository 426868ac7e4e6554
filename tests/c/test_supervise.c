// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/supervise.h"
#include "tests/c/check.h"

static int after_waits(int waits, int ranks)
{
    int wait_ms = 1;
    for (int i = 0; i < waits; i++)
        wait_ms = supervise_next_wait_ms(wait_ms, 0, ranks);
    return wait_ms;
}

TEST(each_wait_without_a_record_is_twice_as_long)
{
    CHECK(after_waits(1, 1) == 2 && after_waits(4, 1) == 16);
    CHECK(after_waits(5, 1) == 25 && after_waits(100, 1) == 25);
}

TEST(a_record_ends_the_rest)
{
    CHECK(supervise_next_wait_ms(25, 1, 1) == 1 && supervise_next_wait_ms(100, 7, 64) == 1);
}

TEST(the_recorders_of_many_ranks_wake_up_less_often)
{
    CHECK(after_waits(100, 2) == 50 && after_waits(100, 4) == 100 && after_waits(100, 64) == 100);
}
