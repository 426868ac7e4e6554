// SPDX-License-Identifier: Apache-2.0
// Several threads may wait for one huge page; one thread does not come twice.
#include "collectors/faults/faults_window.h"

#include "tests/c/check.h"

static uint64_t seen(const int64_t *threads, size_t count)
{
    uint64_t window = 0;
    for (size_t i = 0; i < count; i++)
        window = faults_window_add(window, threads[i]);
    return window;
}

TEST(one_fault_may_bring_a_huge_page)
{
    const uint64_t window = seen((const int64_t[]){5}, 1);
    CHECK(faults_window_may_be_one_page(window));
    CHECK_EQ(faults_window_others(window), 0);
}

TEST(threads_that_race_for_a_huge_page_have_one_fault_each)
{
    const uint64_t window = seen((const int64_t[]){5, 9, 1, 62}, 4);
    CHECK(faults_window_may_be_one_page(window));
    CHECK_EQ(faults_window_others(window), 3);
}

TEST(a_thread_that_comes_again_finds_small_pages)
{
    CHECK(!faults_window_may_be_one_page(seen((const int64_t[]){5, 5}, 2)));
    CHECK(!faults_window_may_be_one_page(seen((const int64_t[]){5, 9, 5, 2}, 4)));
}

TEST(without_a_fault_there_is_no_page)
{
    CHECK(!faults_window_may_be_one_page(0));
    CHECK_EQ(faults_window_others(0), 0);
}

TEST(threads_that_cannot_be_told_apart_count_as_one_that_came_again)
{
    CHECK(!faults_window_may_be_one_page(seen((const int64_t[]){1, 64}, 2)));
}
