// SPDX-License-Identifier: Apache-2.0
// Memory lies where it was asked for, and as much of it is used as caches ask and the machine can spare.
#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "core/topology/topology.h"
#include "profiler/measure/memory/memory_bound.h"
#include "profiler/measure/memory/memory_extent.h"

#define MIB (INT64_C(1) << 20)

static struct topology *machine(void)
{
    static struct topology t;
    CHECK_EQ(topology_read(&t, ""), 0);
    return &t;
}

TEST(every_page_is_looked_up)
{
    const struct topology *t = machine();
    struct memory_bound bound;
    struct memory_bound_report report;
    struct cpulist node = {0};
    cpulist_add(&node, cpulist_next(&t->allowed_nodes, 0));
    CHECK_EQ(memory_bound_map(&bound, 8 * MIB, &node, false), 0);
    CHECK_EQ((uintptr_t)bound.base % MEMORY_BOUND_HUGE_BYTES, 0);
    CHECK_EQ(memory_bound_verify(&bound, &node, &report), 0);
    CHECK_EQ(report.right, 0); // nothing is touched yet, so nothing is there
    memory_bound_touch(&bound, 0, 4 * MIB);
    CHECK_EQ(memory_bound_verify(&bound, &node, &report), 0);
    CHECK_EQ(report.pages, 8 * MIB / sysconf(_SC_PAGESIZE));
    CHECK_EQ(report.right, report.pages / 2);
    memory_bound_touch(&bound, 4 * MIB, 8 * MIB);
    CHECK_EQ(memory_bound_verify(&bound, &node, &report), 0);
    CHECK_EQ(report.right, report.pages);
    memory_bound_look(&bound);
    CHECK_EQ(bound.huge_bytes, 0); // they were forbidden
    struct cpulist elsewhere = {0};
    cpulist_add(&elsewhere, 1000);
    CHECK_EQ(memory_bound_verify(&bound, &elsewhere, &report), 0);
    CHECK_EQ(report.right, 0);
    memory_bound_unmap(&bound);
    memory_bound_unmap(&bound); // nothing happens
}

static struct topology made = {.node_count = 1};
static struct topology_node node;

static int choose(struct memory_extent *extent, int64_t cache, int64_t spare, int64_t asked)
{
    node = (struct topology_node){.llc_bytes = cache};
    made.nodes = &node;
    return memory_extent_choose(extent, &made, spare, asked, false);
}

TEST(memory_is_well_past_the_caches)
{
    struct memory_extent extent;
    CHECK_EQ(choose(&extent, 8 * MIB, 64000 * MIB, 0), 0);
    CHECK_EQ(extent.bytes, 512 * MIB);
    CHECK_EQ(choose(&extent, 105 * MIB, 64000 * MIB, 0), 0);
    CHECK_EQ(extent.bytes, 840 * MIB);
    CHECK_EQ(choose(&extent, 300 * MIB, 64000 * MIB, 0), 0);
    CHECK_EQ(extent.bytes, 2048 * MIB);
    CHECK_EQ(choose(&extent, 1152 * MIB, 64000 * MIB, 0), 0);
    CHECK_EQ(extent.bytes, 4608 * MIB);
    CHECK(!extent.is_short);
}

TEST(too_little_memory_is_made_do_with_or_refused)
{
    struct memory_extent extent;
    CHECK_EQ(choose(&extent, 32 * MIB, 600 * MIB, 0), 0);
    CHECK(extent.is_short);
    CHECK_EQ(extent.bytes, 400 * MIB); // two thirds: a second region follows
    CHECK_EQ(choose(&extent, 300 * MIB, 600 * MIB, 0), -ENOMEM);
    CHECK_EQ(choose(&extent, -1, 0, 0), -ENOMEM);
    CHECK_EQ(choose(&extent, 300 * MIB, 6000 * MIB, 64 * MIB), 0); // the user's own size is not judged here
    CHECK_EQ(extent.bytes, 64 * MIB);
    CHECK_EQ(choose(&extent, 300 * MIB, 60 * MIB, 64 * MIB), -ENOMEM);
}

TEST(free_memory_ends_at_the_control_groups_limit)
{
    struct cpulist nodes = {0};
    cpulist_add(&nodes, 0);
    node = (struct topology_node){.free_bytes = 1000 * MIB};
    made.nodes = &node;
    CHECK_EQ(memory_extent_spare(&made, "root", &nodes), 500 * MIB);
    check_write("root/sys/devices/system/node/node0/meminfo", "Node 0 Inactive(file):   204800 kB\n");
    CHECK_EQ(memory_extent_spare(&made, "root", &nodes), 600 * MIB);
    check_write("root/proc/self/cgroup", "0::/a/b\n");
    check_write("root/sys/fs/cgroup/a/b/memory.max", "max\n");
    check_write("root/sys/fs/cgroup/a/b/memory.current", "1048576\n");
    CHECK_EQ(memory_extent_spare(&made, "root", &nodes), 600 * MIB);
    check_write("root/sys/fs/cgroup/a/memory.max", "104857600\n");
    check_write("root/sys/fs/cgroup/a/memory.current", "20971520\n");
    CHECK_EQ(memory_extent_spare(&made, "root", &nodes), 40 * MIB);
}

TEST(interleaved_memory_takes_from_the_poorest_node)
{
    static struct topology_node two[2] = {{.id = 0, .free_bytes = 1000 * MIB}, {.id = 1, .free_bytes = 100 * MIB}};
    struct topology t = {.nodes = two, .node_count = 2};
    struct cpulist nodes = {0};
    cpulist_add(&nodes, 0);
    cpulist_add(&nodes, 1);
    CHECK_EQ(memory_extent_spare(&t, "nowhere", &nodes), 100 * MIB);
}
