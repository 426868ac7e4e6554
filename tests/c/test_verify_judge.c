// SPDX-License-Identifier: Apache-2.0
// Sampled loads against the node of their page: two nodes of a package each, and a slow tier without CPUs.
#include "collectors/loads/loads_source.h"
#include "profiler/verify/verify_judge.h"
#include "real_catalogue.h"

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

static const uint64_t local[LOAD_SLOW_TIER + 1] =
    {[LOAD_LOCAL_DRAM] = 90, [LOAD_REMOTE_DRAM] = 8, [LOAD_OWN_CACHE] = 2},
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

// Of the second of two events, after means(): the remote one.
static enum verify_word remote_word;

// Counts of random reads, as shares of 100 lines, from CPUs of node 0 and 1 to memory of node 0 and 1.
static const char *means(const uint64_t counted_local[2][2], const uint64_t counted_remote[2][2])
{
    static char meaning[VERIFY_TEXT_BYTES];
    const int both[] = {0, 1};
    const struct counters counters = {.group_count = 0};
    struct verify verify;
    cpulist_add(&nodes[0].cpus, 0);
    cpulist_add(&nodes[1].cpus, 1);
    CHECK_EQ(verify_make(&verify, both, 2, both, 2), 0);
    verify.lines = 100;
    verify.event_count = 2;
    verify.events[0] = (struct verify_event){.class = "demand_rd", .placement = "local_dram"};
    verify.events[1] = (struct verify_event){.class = "demand_rd", .placement = "remote_dram"};
    for (size_t from = 0; from < 2; from++)
        for (size_t to = 0; to < 2; to++) {
            verify_cell_add(verify_cell(&verify, 0, VERIFY_RANDOM, from, to), counted_local[from][to]);
            verify_cell_add(verify_cell(&verify, 1, VERIFY_RANDOM, from, to), counted_remote[from][to]);
        }
    verify_judge_all(&verify, &machine, &counters);
    snprintf(meaning, sizeof meaning, "%s", verify.local);
    remote_word = verify.events[1].word;
    verify_free(&verify);
    return meaning;
}

TEST(memory_of_the_package_that_is_counted_nowhere_is_missed)
{
    const uint64_t own[2][2] = {{100, 0}, {0, 100}}, none[2][2] = {{0}}, near[2][2] = {{0, 100}, {100, 0}};
    nodes[1].package = 0;
    CHECK_STR(means(own, none), "the memory of the own node; that of other nodes in its package is counted nowhere");
    CHECK_EQ(remote_word, VERIFY_NOTHING);
    CHECK_STR(means(own, near), "the memory of the own node, not of other nodes in its package");
    CHECK(!verify_word_is_wrong(remote_word));
    CHECK_STR(means((const uint64_t[2][2]){{100, 100}, {100, 100}}, none),
              "the memory of the own package, all its nodes");
    nodes[1].package = 1;
}

TEST(a_pair_that_counts_nothing_says_nothing_of_local)
{
    const uint64_t none[2][2] = {{0}}, far[2][2] = {{0, 100}, {100, 0}};
    CHECK_STR(means((const uint64_t[2][2]){{100, 0}, {0, 100}}, far), "the memory of the own node");
    CHECK_STR(means((const uint64_t[2][2]){{100, 0}, {0, 0}}, far), "the memory of the own node");
    CHECK_STR(means((const uint64_t[2][2]){{0, 0}, {0, 100}}, far), "the memory of the own node");
    CHECK_STR(means(none, none), "");
}

TEST(local_is_mixed_where_the_own_nodes_disagree)
{
    const uint64_t far[2][2] = {{0, 100}, {100, 100}};
    CHECK_STR(means((const uint64_t[2][2]){{100, 0}, {0, 0}}, far),
              "mixed: part of the own node's or of other nodes' memory counts as local");
}

TEST(nodes_that_are_not_the_hardwares_are_called_so)
{
    const uint64_t none[2][2] = {{0}}, all[2][2] = {{100, 100}, {100, 100}};
    CHECK_STR(means(none, all), "not this machine's nodes: memory of the own node counts as remote");
    CHECK_STR(means(all, none), "not this machine's nodes: memory of other nodes counts as local");
}

TEST(a_virtual_machine_is_noted)
{
    const struct host real = {.hypervisor = ""}, named = {.is_virtual = true, .hypervisor = "KVM"},
                      unnamed = {.is_virtual = true};
    struct verify verify = {0};
    verify_judge_host(&verify, &real);
    CHECK_EQ(verify.note_count, 0);
    verify_judge_host(&verify, &named);
    verify_judge_host(&verify, &unnamed);
    CHECK_EQ(verify.note_count, 2);
    CHECK_STR(verify.notes[0], "a virtual machine (KVM): its nodes are the hypervisor's word, local is what the table "
                               "shows");
    CHECK_STR(verify.notes[1], "a virtual machine (unnamed): its nodes are the hypervisor's word, local is what the "
                               "table shows");
}

// One event a group, in the order of the plan.
static void plan(struct counters *counters, const char *cpu, const char *const events[][2])
{
    *counters = (struct counters){.loads_group = -1, .cpu = real_cpu(cpu)};
    counters->catalogue = catalogue;
    for (int i = 0; events[i][0]; i++) {
        const struct event_entry *entry =
            event_catalogue_entry(catalogue, counters->cpu, events[i][0], events[i][1], NULL);
        CHECK(entry);
        counters->groups[counters->group_count++] = (struct counters_group){.count = 1, .events[0].source = entry};
    }
}

// Nehalem's retired loads count lines of another node's cache, by the home of the line: no line was written back.
TEST(events_by_home_do_not_say_that_memory_answered)
{
    static const char *const events[][2] = {{"retired_load", "local_dram"}, {"any", "remote_cache"}, {NULL}};
    static struct counters counters;
    struct topology_node two[] = {{.id = 0, .package = 0, .mem_bytes = 1, .allowed = true},
                                  {.id = 1, .package = 1, .mem_bytes = 1, .allowed = true}};
    struct topology t = {.numa = true, .node_count = 2, .nodes = two};
    size_t bases[COUNTERS_GROUPS];
    struct verify verify;
    for (int i = 0; i < 2; i++) {
        cpulist_add(&two[i].cpus, i);
        cpulist_add(&t.allowed_cpus, i);
    }
    plan(&counters, "nehalem-ep", events);
    CHECK_EQ(verify_judge_begin(&verify, &t, &counters, bases), 0);
    verify.lines = 100;
    verify_cell_add(verify_cell(&verify, bases[0], VERIFY_TAKEN, 0, 0), 100);
    verify_cell_add(verify_cell(&verify, bases[1], VERIFY_TAKEN, 0, 0), 100);
    CHECK(!verify_judge_pair(&verify, &t, &counters, 0, 0));
    const struct verify_cell *cell = verify_cell(&verify, bases[1], VERIFY_TAKEN, 0, 0);
    CHECK(cell->compared);
    CHECK(cell->least == 100);
    verify_judge_all(&verify, &t, &counters);
    CHECK_EQ(verify.events[bases[1]].word, VERIFY_RIGHT);
    verify_free(&verify);
}

// Nodes of one package: each remote event must count what the first pattern says, on the other patterns too.
TEST(a_remote_event_that_counts_near_memory_double_is_found_out)
{
    static const char *const events[][2] = {{"demand", "local_dram"}, {"demand", "remote_dram"}, {NULL}};
    static struct counters counters;
    struct topology_node two[] = {{.id = 0, .package = 0, .mem_bytes = 1, .allowed = true},
                                  {.id = 1, .package = 0, .mem_bytes = 1, .allowed = true}};
    struct topology t = {.numa = true, .node_count = 2, .nodes = two};
    for (uint64_t each = 100; each <= 200; each += 100) {
        size_t bases[COUNTERS_GROUPS];
        struct verify verify;
        for (int i = 0; i < 2; i++) {
            cpulist_add(&two[i].cpus, i);
            cpulist_add(&t.allowed_cpus, i);
        }
        plan(&counters, "zen3", events);
        CHECK_EQ(verify_judge_begin(&verify, &t, &counters, bases), 0);
        verify.lines = 100;
        for (int run = 0; run < VERIFY_RUNS; run++) {
            verify_cell_add(verify_cell(&verify, bases[0], VERIFY_RANDOM, 0, 1), 0);
            verify_cell_add(verify_cell(&verify, bases[1], VERIFY_RANDOM, 0, 1), each);
        }
        verify_judge_pair(&verify, &t, &counters, 0, 1);
        verify_judge_all(&verify, &t, &counters);
        CHECK_EQ(verify.events[bases[1]].word, each == 100 ? VERIFY_RIGHT : VERIFY_DOUBLE);
        verify_free(&verify);
    }
}
