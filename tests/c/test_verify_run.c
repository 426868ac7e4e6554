// SPDX-License-Identifier: Apache-2.0
// What verify says and does where the machine is busy, slow or full.
#include <errno.h>

#include "check.h"
#include "profiler/verify/verify_run.h"
#include "profiler/verify/verify_site.h"

TEST(runs_that_were_interrupted_more_than_once_each_are_noted)
{
    struct verify verify = {0};
    verify_run_note_taken(&verify, 0, 0);
    verify_run_note_taken(&verify, 30, 30);
    CHECK_EQ(verify.note_count, 0);
    verify_run_note_taken(&verify, 31, 30);
    CHECK_EQ(verify.note_count, 1);
    CHECK_STR(verify.notes[0], "other programs took the CPU away 31 times in 30 runs: counts may be less exact");
}

TEST(further_rounds_of_two_nodes_begin_within_25_seconds)
{
    CHECK(verify_run_has_time(6.2, 0, 4));
    CHECK(!verify_run_has_time(6.3, 0, 4)); // a quarter of the time for the first of four pairs
    CHECK(verify_run_has_time(6.3, 1, 4));
    CHECK(verify_run_has_time(24.9, 3, 4));
    CHECK(!verify_run_has_time(25.0, 3, 4));
}

TEST(one_node_has_all_the_time_and_four_nodes_have_more)
{
    CHECK(verify_run_has_time(24.9, 0, 1));
    CHECK(!verify_run_has_time(25.0, 0, 1));
    CHECK(!verify_run_has_time(6.3, 0, 16));
    CHECK(verify_run_has_time(99.9, 15, 16));
    CHECK(!verify_run_has_time(100.0, 15, 16));
}

TEST(a_node_with_too_little_memory_is_left_out)
{
    struct verify verify = {0};
    struct memory_bound bound;
    struct topology t;
    CHECK_EQ(topology_read(&t, ""), 0);
    const int node = t.nodes[0].id;
    char begins[64];
    CHECK_EQ(verify_site_memory(&verify, &t, node, (size_t)1 << 60, &bound), -ENOMEM);
    CHECK_EQ(verify.note_count, 1);
    snprintf(begins, sizeof begins, "memory of node %d is left out: 1099511627776 MiB are needed, ", node);
    CHECK(strncmp(verify.notes[0], begins, strlen(begins)) == 0);
    CHECK(strstr(verify.notes[0], " MiB can be spared"));
    topology_free(&t);
}
