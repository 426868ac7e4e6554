// SPDX-License-Identifier: Apache-2.0
// What kernels write for each answer, by generation: arch/x86/events/intel/ds.c, arch/x86/events/amd/ibs.c (6.1 and
// 6.7), arch/powerpc/perf/isa207-common.c.
#include "collectors/loads/loads_source.h"

#include <linux/perf_event.h>

#include "check.h"

enum { ANY_CACHE = 0x0b, RAM = 0x0d, L3 = 3, SAME_NODE = 1, OTHER_NODE = 2 };
enum { L2_MHB = 5, MSC = 6, L0 = 7, UNC = 8, CXL = 9, IO = 10, LFB = 12, PMEM = 14 };
enum { FORWARDED = 1, MMIO = 7, MEM0 = 8, REGION_SHIFT = 46 };

static enum load_source of(union perf_mem_data_src source)
{
    source.mem_op = PERF_MEM_OP_LOAD;
    source.mem_lvl |= PERF_MEM_LVL_HIT;
    return load_source_of(source.val);
}

#define SOURCE(...) of((union perf_mem_data_src){__VA_ARGS__})

TEST(intel_until_broadwell)
{
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_L3, .mem_lvl_num = L3, .mem_snoop = PERF_MEM_SNOOP_HITM), LOAD_LOCAL_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE1, .mem_lvl_num = L3, .mem_remote = 1,
                    .mem_snoop = PERF_MEM_SNOOP_HIT),
             LOAD_REMOTE_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE1, .mem_lvl_num = L3, .mem_remote = 1,
                    .mem_snoop = PERF_MEM_SNOOP_HITM),
             LOAD_REMOTE_MODIFIED);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_RAM1, .mem_lvl_num = L3, .mem_remote = 1), LOAD_REMOTE_DRAM);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_RAM1, .mem_lvl_num = RAM, .mem_remote = 1), LOAD_REMOTE_DRAM);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_LOC_RAM, .mem_lvl_num = RAM), LOAD_LOCAL_DRAM);
}

TEST(intel_from_skylake_on)
{
    CHECK_EQ(SOURCE(.mem_lvl_num = RAM, .mem_remote = 1), LOAD_REMOTE_DRAM);
    CHECK_EQ(SOURCE(.mem_lvl_num = RAM, .mem_lvl = PERF_MEM_LVL_LOC_RAM), LOAD_LOCAL_DRAM);
    CHECK_EQ(SOURCE(.mem_lvl_num = ANY_CACHE, .mem_remote = 1, .mem_snoop = PERF_MEM_SNOOP_HITM), LOAD_REMOTE_MODIFIED);
    CHECK_EQ(SOURCE(.mem_lvl_num = ANY_CACHE, .mem_remote = 1), LOAD_REMOTE_CACHE);
}

TEST(amd_until_zen_3)
{
    // Its own L3 has the bit of a remote cache as well.
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1), LOAD_LOCAL_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1, .mem_lvl_num = ANY_CACHE,
                    .mem_hops = SAME_NODE),
             LOAD_LOCAL_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE2), LOAD_REMOTE_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE2, .mem_lvl_num = ANY_CACHE, .mem_remote = 1,
                    .mem_hops = OTHER_NODE),
             LOAD_REMOTE_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_LOC_RAM), LOAD_LOCAL_DRAM);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_RAM1), LOAD_REMOTE_DRAM);
}

TEST(amd_from_zen_4_on)
{
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_L3, .mem_lvl_num = L3), LOAD_LOCAL_CACHE);
    // A near complex is of this node, whatever the kernel calls it.
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE1), LOAD_LOCAL_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE1, .mem_lvl_num = ANY_CACHE, .mem_remote = 1, .mem_hops = SAME_NODE),
             LOAD_LOCAL_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE2, .mem_lvl_num = ANY_CACHE, .mem_remote = 1,
                    .mem_hops = OTHER_NODE),
             LOAD_REMOTE_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_RAM1, .mem_lvl_num = RAM, .mem_remote = 1, .mem_hops = OTHER_NODE),
             LOAD_REMOTE_DRAM);
}

TEST(power)
{
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE1), LOAD_LOCAL_CACHE); // the same chip
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_CCE2, .mem_snoop = PERF_MEM_SNOOP_HITM), LOAD_REMOTE_MODIFIED);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_REM_RAM2), LOAD_REMOTE_DRAM);
}

TEST(slow_tiers_are_neither_local_nor_remote)
{
    CHECK_EQ(SOURCE(.mem_lvl_num = CXL), LOAD_SLOW_TIER);
    CHECK_EQ(SOURCE(.mem_lvl_num = CXL, .mem_remote = 1, .mem_hops = OTHER_NODE), LOAD_SLOW_TIER);
    CHECK_EQ(SOURCE(.mem_lvl_num = PMEM), LOAD_SLOW_TIER);
    CHECK_EQ(SOURCE(.mem_lvl_num = PMEM, .mem_remote = 1), LOAD_SLOW_TIER);
    // Its line was in another cache.
    CHECK_EQ(SOURCE(.mem_lvl_num = PMEM, .mem_remote = 1, .mem_snoop = PERF_MEM_SNOOP_HITM), LOAD_REMOTE_MODIFIED);
}

TEST(intel_efficiency_cores_report_forwards_as_memory)
{
    // __intel_pmu_pebs_data_source_cmt: 0x0c is RAM, remote, forwarded; 0x0d the same with HITM.
    CHECK_EQ(SOURCE(.mem_lvl_num = RAM, .mem_remote = 1, .mem_snoopx = FORWARDED), LOAD_REMOTE_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl_num = RAM, .mem_remote = 1, .mem_snoop = PERF_MEM_SNOOP_HITM), LOAD_REMOTE_MODIFIED);
    CHECK_EQ(SOURCE(.mem_lvl_num = RAM, .mem_remote = 1), LOAD_REMOTE_DRAM);
    CHECK_EQ(SOURCE(.mem_lvl_num = RAM), LOAD_LOCAL_DRAM);
}

TEST(levels_of_newer_kernels)
{
    CHECK_EQ(SOURCE(.mem_lvl_num = L0), LOAD_OWN_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl_num = LFB), LOAD_OWN_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl_num = L2_MHB), LOAD_OWN_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl_num = MSC), LOAD_LOCAL_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl_num = UNC), LOAD_OTHER);
    CHECK_EQ(SOURCE(.mem_lvl_num = IO), LOAD_OTHER);
}

TEST(diamond_rapids_reports_devices_as_memory_of_a_region)
{
    union perf_mem_data_src device = {.mem_lvl_num = RAM}, memory = {.mem_lvl_num = RAM, .mem_remote = 1};
    device.val |= (uint64_t)MMIO << REGION_SHIFT;
    memory.val |= (uint64_t)MEM0 << REGION_SHIFT;
    CHECK_EQ(of(device), LOAD_OTHER);
    CHECK_EQ(of(memory), LOAD_REMOTE_DRAM);
}

TEST(a_level_that_was_missed_did_not_answer)
{
    // pebs_data_source[0], "unknown L3" of all generations, and a store that missed L1 (precise_store_data)
    const union perf_mem_data_src
        unknown = {.mem_op = PERF_MEM_OP_LOAD, .mem_lvl = PERF_MEM_LVL_MISS, .mem_lvl_num = L3},
        older = {.mem_op = PERF_MEM_OP_LOAD, .mem_lvl = PERF_MEM_LVL_MISS | PERF_MEM_LVL_L3},
        store = {.mem_op = PERF_MEM_OP_STORE, .mem_lvl = PERF_MEM_LVL_MISS | PERF_MEM_LVL_L1};
    CHECK_EQ(load_source_of(unknown.val), LOAD_UNKNOWN);
    CHECK_EQ(load_source_of(older.val), LOAD_UNKNOWN);
    CHECK_EQ(load_source_of(store.val), LOAD_UNKNOWN);
}

TEST(own_caches_and_what_is_not_said)
{
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_L1), LOAD_OWN_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_L2, .mem_lvl_num = 2), LOAD_OWN_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_LFB), LOAD_OWN_CACHE);
    CHECK_EQ(SOURCE(.mem_lvl = PERF_MEM_LVL_NA), LOAD_UNKNOWN);
    CHECK_EQ(load_source_of(0), LOAD_UNKNOWN);
}
