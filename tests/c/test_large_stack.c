// SPDX-License-Identifier: Apache-2.0
// Work on a stack of its own, that ends or gives up.
#include "core/process/large_stack.h"

#include <sys/resource.h>

#include "check.h"

static void deep(int levels, int *done)
{
    volatile char room[64 << 10];
    room[0] = (char)levels;
    if (levels > 0)
        deep(levels - 1, done);
    *done += room[0] == (char)levels;
}

static void work(void *done)
{
    deep(64, done); // 4 MiB
}

static void give_up(void *done)
{
    work(done);
    large_stack_give_up();
}

TEST(work_has_more_stack_than_its_caller)
{
    int done = 0;
    CHECK(large_stack_run(work, &done));
    CHECK_EQ(done, 65);
}

TEST(work_that_gives_up_says_so_and_the_next_work_does_not)
{
    int done = 0;
    CHECK(!large_stack_run(give_up, &done));
    CHECK(large_stack_run(work, &done));
    CHECK_EQ(done, 130);
}

TEST(where_there_can_be_no_thread_work_gives_up_as_well)
{
    struct rlimit before, none;
    int done = 0;
    CHECK_EQ(getrlimit(RLIMIT_NPROC, &before), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    CHECK_EQ(setrlimit(RLIMIT_NPROC, &none), 0); // root may start threads all the same
    CHECK(!large_stack_run(give_up, &done));
    CHECK_EQ(setrlimit(RLIMIT_NPROC, &before), 0);
    CHECK_EQ(done, 65);
}
