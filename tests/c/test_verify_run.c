// SPDX-License-Identifier: Apache-2.0
// What verify says and does where the machine is busy, slow or full.
#include <errno.h>

#include "check.h"
#include "profiler/verify/verify_run.h"
#include "profiler/verify/verify_site.h"

TEST(a_slow_tier_is_linked_to_the_nearest_package)
{
    struct topology_node nodes[] = {{.id = 0, .package = 0}, {.id = 1, .package = 1},
                                    {.id = 2, .package = TOPOLOGY_UNKNOWN}};
    int distance[] = {10, 21, 14, 21, 10, 24, 14, 24, 10};
    const struct topology t = {.numa = true, .node_count = 3, .nodes = nodes, .distance = distance};
    cpulist_add(&nodes[0].cpus, 0);
    cpulist_add(&nodes[1].cpus, 1);
    CHECK_EQ(verify_site_link(&t, 0, 2), VERIFY_OWN);
    CHECK_EQ(verify_site_link(&t, 1, 2), VERIFY_FAR);
    distance[5] = 14; // as far from both packages
    CHECK_EQ(verify_site_link(&t, 0, 2), VERIFY_NEAR);
    CHECK_EQ(verify_site_link(&t, 1, 2), VERIFY_NEAR);
    nodes[1].package = 0;
    CHECK_EQ(verify_site_link(&t, 1, 2), VERIFY_OWN);
    for (size_t i = 0; i < 9; i++)
        distance[i] = TOPOLOGY_UNKNOWN;
    CHECK_EQ(verify_site_link(&t, 0, 2), VERIFY_NEAR);
}

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
