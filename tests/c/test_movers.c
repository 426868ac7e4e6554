// SPDX-License-Identifier: Apache-2.0
#include "collectors/pages/movers.h"
#include "tests/c/check.h"

static struct topology_node nodes[] = {{.id = 0}, {.id = 2}};
static const struct topology topology = {.nodes = nodes, .node_count = 2};

static void write_kernel(const char *root, const char *vmstat)
{
    char path[256];
    snprintf(path, sizeof path, "%s/proc/vmstat", root);
    check_write(path, vmstat);
}

TEST(counters_of_the_machine_its_nodes_and_the_group)
{
    struct movers movers;
    write_kernel("a", "nr_free_pages 7\nnuma_pages_migrated 100\npgpromote_success 40\npgmigrate_success_other 9\n");
    check_write("a/proc/self/cgroup", "1:name=x:/old\n0::/job/7\n");
    check_write("a/sys/fs/cgroup/job/7/memory.stat", "anon 1\npgdemote_kswapd 5\n");
    check_write("a/sys/devices/system/node/node2/vmstat", "pgpromote_success 40\n");
    check_write("a/sys/kernel/mm/numa/demotion_enabled", "true\n");
    check_write("a/sys/kernel/mm/damon/admin/kdamonds/0/state", "on\n");
    check_write("a/sys/kernel/mm/damon/admin/kdamonds/1/state", "off\n");
    movers_read(&movers, &topology, "a");
    CHECK_EQ(movers.machine.value[MOVERS_BALANCED], 100);
    CHECK_EQ(movers.machine.value[MOVERS_PROMOTED], 40);
    CHECK_EQ(movers.machine.value[MOVERS_MIGRATED], RECORDING_NULL); // another counter's name begins like it
    CHECK_EQ(movers.cgroup.value[MOVERS_DEMOTED_KSWAPD], 5);
    CHECK_EQ(movers.nodes[0].value[MOVERS_PROMOTED], RECORDING_NULL);
    CHECK_EQ(movers.nodes[1].value[MOVERS_PROMOTED], 40);
    CHECK_EQ(movers.demotes, 1);
    CHECK_EQ(movers.damon, 1);
    movers_free(&movers);
}

TEST(a_kernel_that_does_not_count_gives_nothing)
{
    struct movers before, after;
    char text[512];
    movers_read(&before, &topology, "nothing");
    movers_read(&after, &topology, "nothing");
    CHECK_EQ(movers_moved(&before, &after, MOVERS_BALANCED), RECORDING_NULL);
    CHECK_EQ(before.demotes, RECORDING_NULL);
    CHECK_EQ(before.damon, RECORDING_NULL);
    CHECK_EQ(movers_describe(&before, &after, text, sizeof text), 0);
    movers_free(&before);
    movers_free(&after);
}

TEST(promotions_are_not_counted_twice_and_compaction_is_no_mover)
{
    struct movers before, after;
    char text[512];
    write_kernel("before", "numa_pages_migrated 10\npgpromote_success 0\npgdemote_kswapd 0\npgmigrate_success 100\n");
    write_kernel("after",
                 "numa_pages_migrated 110\npgpromote_success 30\npgdemote_kswapd 20\npgmigrate_success 1000\n");
    movers_read(&before, &topology, "before");
    movers_read(&after, &topology, "after");
    CHECK_EQ(movers_describe(&before, &after, text, sizeof text), 120);
    CHECK(strstr(text, "automatic balancing 100 (30 of them promoted") && strstr(text, "demotion to a slow tier 20"));
    CHECK_STR(movers_remedy(&before, &after), "sysctl kernel.numa_balancing=0");
    after.damon = 1; // now the rest may be DAMON's
    CHECK(!movers_remedy(&before, &after));
    CHECK_EQ(movers_describe(&before, &after, text, sizeof text), 900);
    CHECK(strstr(text, "others 780 (DAMON is on)"));
    after.damon = 0;
    after.machine.value[MOVERS_DEMOTED_DIRECT] = before.machine.value[MOVERS_DEMOTED_DIRECT] = 0;
    after.machine.value[MOVERS_DEMOTED_DIRECT] = 200;
    CHECK(strstr(movers_remedy(&before, &after), "demotion_enabled"));
    movers_free(&before);
    movers_free(&after);
}
