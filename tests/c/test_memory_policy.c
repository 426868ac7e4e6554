// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <linux/mempolicy.h>

#include "check.h"
#include "profiler/launch/memory_policy.h"

TEST(placements_are_memory_and_maybe_cpus)
{
    struct memory_policy p;
    CHECK_EQ(memory_policy_parse(&p, "local"), 0);
    CHECK(p.mode == MPOL_DEFAULT && !p.has_cpus);
    CHECK_EQ(memory_policy_parse(&p, "interleave:0-3,7"), 0);
    CHECK(p.mode == MPOL_INTERLEAVE && cpulist_count(&p.nodes) == 5 && cpulist_has(&p.nodes, 7));
    CHECK_EQ(memory_policy_parse(&p, "bind:1@0-3"), 0);
    CHECK(p.mode == MPOL_BIND && cpulist_has(&p.nodes, 1) && p.has_cpus && cpulist_count(&p.cpus) == 4);
    CHECK_EQ(memory_policy_parse(&p, "local@5"), 0);
    CHECK(p.has_cpus && cpulist_has(&p.cpus, 5));
}

TEST(what_is_no_placement_is_refused)
{
    static const char *const texts[] = {"", "@", "@0", "local:0", "bind", "bind:", "bind:x", "bind:0@", "bind:0@x",
                                        "interleave:9999999", "preferred:0", "local@0@1", "bind:0 ", "LOCAL"};
    struct memory_policy p;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(memory_policy_parse(&p, texts[i]) == -EINVAL);
    char wide[4096];
    memset(wide, '1', sizeof wide);
    memcpy(wide, "bind:", 5);
    wide[sizeof wide - 1] = '\0';
    CHECK_EQ(memory_policy_parse(&p, wide), -EINVAL);
}
