// SPDX-License-Identifier: Apache-2.0
// Sampled loads against the node of their page: two nodes of a package each, and a slow tier without CPUs.
#include "check.h"
#include "collectors/loads/loads_source.h"
#include "profiler/verify/verify_judge.h"

static struct topology_node nodes[] = {{.id = 0, .package = 0}, {.id = 1, .package = 1},
                                       {.id = 2, .package = TOPOLOGY_UNKNOWN}};
static const struct topology machine = {.numa = true, .node_count = 3, .nodes = nodes};

static struct verify_loads judged(size_t to, const uint64_t sources[])
{
    const int from = 0, all[] = {0, 1, 2};
    struct verify verify;
    cpulist_add(&nodes[0].cpus, 0);
    cpulist_add(&nodes[1].cpus, 1);
    CHECK_EQ(verify_make(&verify, &from, 1, all, 3), 0);
    verify_judge_samples(&verify, &machine, 0, to, sources);
    const struct verify_loads loads = *verify_loads(&verify, 0, to);
    verify_free(&verify);
    return loads;
}

static const uint64_t local[LOAD_SLOW_TIER + 1] = {[LOAD_LOCAL_DRAM] = 90, [LOAD_REMOTE_DRAM] = 8, [LOAD_OWN_CACHE] = 2},
                      slow[LOAD_SLOW_TIER + 1] = {[LOAD_SLOW_TIER] = 97, [LOAD_OWN_CACHE] = 3};

TEST(memory_of_the_own_node_is_local_and_of_another_remote)
{
    CHECK_EQ(judged(0, local).agree, 90);
    CHECK_EQ(judged(0, local).differ, 10);
    CHECK_EQ(judged(1, local).agree, 8);
    CHECK_EQ(judged(1, local).differ, 92);
}

TEST(a_slow_tier_is_called_so_or_dram_and_nothing_else_is)
{
    CHECK_EQ(judged(2, slow).agree, 97);
    CHECK_EQ(judged(2, slow).differ, 3);
    CHECK_EQ(judged(2, local).agree, 90);
    CHECK_EQ(judged(2, local).differ, 10);
    CHECK_EQ(judged(0, slow).agree, 0);
    CHECK_EQ(judged(0, slow).differ, 100);
}
