// SPDX-License-Identifier: Apache-2.0
// Sampled loads against the node of their page, which is this process's own and whatever a hand-made topology calls it.
#include "collectors/loads/loads.h"

#include "collectors/pages/pages_state.h"
#include "core/topology/topology.h"
#include "hand_made.h"

enum { CPU = 3, CPUS_NODE = 1000 }; // a node that no page of a test computer has

static char page[1 << 16];
static struct tasks tasks;
static struct samples samples;
static struct objects objects;
static struct loads loads;
static struct process process;
static struct thread thread;
static struct topology_cpu cpus[] = {{.id = CPU, .node = CPUS_NODE, .package = 0, .online = true}};
static struct topology_node nodes[2] = {{.id = 0}, {.id = CPUS_NODE, .memory = TOPOLOGY_MEMORY_DRAM}};
static struct topology topology = {.cpus = cpus, .cpu_count = 1, .nodes = nodes, .node_count = 2};

#define MEMORY(remote_) ((union perf_mem_data_src){.mem_op = PERF_MEM_OP_LOAD, .mem_lvl_num = 0x0d, \
                                                   .mem_remote = remote_}.val)
#define OWN_CACHE ((union perf_mem_data_src){.mem_op = PERF_MEM_OP_LOAD, .mem_lvl_num = PERF_MEM_LVLNUM_L2}.val)

// Node of `page`, -1: the kernel does not tell.
static int32_t node_of_page(void)
{
    const uint64_t address = (uint64_t)(uintptr_t)page;
    int32_t node;
    memset(page, 1, sizeof page);
    pages_state_query(getpid(), &address, 1, &node);
    return node < 0 ? -1 : node;
}

static void begin(enum topology_memory memory)
{
    tasks = (struct tasks){.queue = hand_recording()};
    samples = (struct samples){.queue = tasks.queue};
    objects = (struct objects){.queue = tasks.queue, .tasks = &tasks};
    process = (struct process){.id = 1, .pid = getpid()};
    thread = (struct thread){.id = 1, .process = &process};
    nodes[0] = (struct topology_node){.id = node_of_page(), .memory = memory};
    loads = (struct loads){.tasks = &tasks, .samples = &samples, .objects = &objects, .topology = &topology};
}

static void take(uint64_t source)
{
    const struct perf_sample sample = {
        .time = 1, .address = (uint64_t)(uintptr_t)page, .cpu = CPU, .period = 1, .weight = 300, .source = source};
    loads_take(&loads, &sample, (struct loads_origin){0}, &thread, RECORDING_NULL);
}

static void end(void)
{
    loads_classify(&loads);
    live_allocations_free(&process.heap);
    live_allocations_free(&process.mapped);
    objects_free(&objects);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
    CHECK_EQ(hand_number("SELECT count(*) FROM sample WHERE kind <> 2 OR latency <> 300"), 0);
    CHECK_EQ(hand_number("SELECT max(page_node) FROM sample"), node_of_page());
}

TEST(memory_that_the_cpu_calls_local_or_remote_is_slow_if_its_page_is)
{
    const enum topology_memory slow[] = {TOPOLOGY_MEMORY_CXL, TOPOLOGY_MEMORY_PERSISTENT, TOPOLOGY_MEMORY_GPU,
                                         TOPOLOGY_MEMORY_UNTOLD};
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        begin(slow[i]);
        const bool is_told = node_of_page() >= 0;
        take(MEMORY(0));
        take(MEMORY(1));
        end();
        CHECK_EQ(hand_number("SELECT source FROM sample WHERE id = 1"), is_told ? LOAD_SLOW_TIER : LOAD_LOCAL_DRAM);
        CHECK_EQ(hand_number("SELECT source FROM sample WHERE id = 2"), is_told ? LOAD_SLOW_TIER : LOAD_REMOTE_DRAM);
        CHECK_EQ(loads.checked, 0); // neither local nor remote: nothing to compare
        unlink(HAND_FILE);
    }
}

TEST(a_cache_that_answers_for_a_slow_page_stays_a_cache)
{
    begin(TOPOLOGY_MEMORY_CXL);
    take(OWN_CACHE);
    end();
    CHECK_EQ(hand_number("SELECT source FROM sample"), LOAD_OWN_CACHE);
}

TEST(dram_and_high_bandwidth_memory_are_what_the_cpu_says_and_checked)
{
    const enum topology_memory fast[] = {TOPOLOGY_MEMORY_DRAM, TOPOLOGY_MEMORY_HBM};
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        begin(fast[i]);
        const bool is_told = node_of_page() >= 0;
        take(MEMORY(0));
        take(MEMORY(1));
        end();
        CHECK_EQ(hand_number("SELECT source FROM sample WHERE id = 1"), LOAD_LOCAL_DRAM);
        CHECK_EQ(hand_number("SELECT source FROM sample WHERE id = 2"), LOAD_REMOTE_DRAM);
        CHECK_EQ(loads.checked, is_told ? 2 : 0);
        CHECK_EQ(loads.contradicted, is_told ? 1 : 0); // the page is on another node than the CPU: "local" is wrong
        unlink(HAND_FILE);
    }
}
