// SPDX-License-Identifier: Apache-2.0
#include "collectors/loads/loads_source.h"

#include <linux/perf_event.h>
#include <stdbool.h>

// Fields of union perf_mem_data_src that older headers do not name.
#define LOAD_LVLNUM_RAM 0x0d     // PERF_MEM_LVLNUM_RAM
#define LOAD_LVLNUM_PMEM 0x0e    // PERF_MEM_LVLNUM_PMEM
#define LOAD_LVLNUM_LFB 0x0c     // PERF_MEM_LVLNUM_LFB
#define LOAD_LVLNUM_ANY_CACHE 0x0b
#define LOAD_LVLNUM_L4 0x04
#define LOAD_LVLNUM_L2_MHB 0x05  // PERF_MEM_LVLNUM_L2_MHB: waits for a line that L2 has asked for (Linux 6.11)
#define LOAD_LVLNUM_MSC 0x06     // PERF_MEM_LVLNUM_MSC: memory-side cache (Linux 6.11)
#define LOAD_LVLNUM_L0 0x07      // PERF_MEM_LVLNUM_L0 (Linux after 6.18)
#define LOAD_LVLNUM_UNC 0x08     // PERF_MEM_LVLNUM_UNC: uncached
#define LOAD_LVLNUM_CXL 0x09     // PERF_MEM_LVLNUM_CXL
#define LOAD_LVLNUM_IO 0x0a      // PERF_MEM_LVLNUM_IO
#define LOAD_HOPS_SAME_NODE 0x01 // PERF_MEM_HOPS_0: "remote core, same node"
#define LOAD_SNOOPX_FWD 0x01     // PERF_MEM_SNOOPX_FWD: another cache forwarded the line
#define LOAD_REGION_SHIFT 46     // mem_region, 5 bits (Linux after 6.18, Diamond Rapids)
#define LOAD_REGION_BITS 0x1f
#define LOAD_REGION_MMIO 0x07    // PERF_MEM_REGION_MMIO

static const uint64_t load_remote_ram = PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2;
static const uint64_t load_own_cache = PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB | PERF_MEM_LVL_L2;

static enum load_source load_of_cache(bool is_remote, uint64_t snoop)
{
    if (!is_remote)
        return LOAD_LOCAL_CACHE;
    return snoop & PERF_MEM_SNOOP_HITM ? LOAD_REMOTE_MODIFIED : LOAD_REMOTE_CACHE;
}

// "Remote cache, one hop" is the other socket on Intel, whose kernel sets mem_remote with it since it has that bit
// (4.14). AMD's means the caches of this node: the own L3 before Zen 4, a near complex from then on; POWER's the same
// chip.
static bool load_is_in_remote_cache(union perf_mem_data_src source)
{
    if (source.mem_hops == LOAD_HOPS_SAME_NODE)
        return false;
    return (source.mem_lvl & PERF_MEM_LVL_REM_CCE2) || source.mem_remote;
}

// The memory that mem_lvl_num names, or the other cache that held the line modified or forwarded it.
// Kernels report the E-core servers' forwards as memory with the forward bit, and CXL memory as PMEM on Granite Rapids.
static enum load_source load_of_memory(union perf_mem_data_src source, bool is_remote)
{
    if ((source.mem_snoop & PERF_MEM_SNOOP_HITM) || (source.mem_snoopx & LOAD_SNOOPX_FWD))
        return load_of_cache(is_remote, source.mem_snoop);
    if ((source.val >> LOAD_REGION_SHIFT & LOAD_REGION_BITS) == LOAD_REGION_MMIO)
        return LOAD_OTHER;
    if (source.mem_lvl_num != LOAD_LVLNUM_RAM)
        return LOAD_SLOW_TIER;
    return is_remote ? LOAD_REMOTE_DRAM : LOAD_LOCAL_DRAM;
}

static enum load_source load_of_number(union perf_mem_data_src source)
{
    bool is_remote = source.mem_remote && source.mem_hops != LOAD_HOPS_SAME_NODE;
    switch (source.mem_lvl_num) {
    case LOAD_LVLNUM_RAM:
    case LOAD_LVLNUM_PMEM:
    case LOAD_LVLNUM_CXL:
        return load_of_memory(source, is_remote);
    case LOAD_LVLNUM_IO:
    case LOAD_LVLNUM_UNC:
        return LOAD_OTHER;
    case LOAD_LVLNUM_L0:
    case PERF_MEM_LVLNUM_L1:
    case PERF_MEM_LVLNUM_L2:
    case LOAD_LVLNUM_LFB:
    case LOAD_LVLNUM_L2_MHB:
        return is_remote ? load_of_cache(true, source.mem_snoop) : LOAD_OWN_CACHE;
    case PERF_MEM_LVLNUM_L3:
    case LOAD_LVLNUM_L4:
    case LOAD_LVLNUM_MSC:
    case LOAD_LVLNUM_ANY_CACHE:
        return load_of_cache(is_remote, source.mem_snoop);
    default:
        return LOAD_UNKNOWN;
    }
}

enum load_source load_source_of(uint64_t data_src)
{
    const union perf_mem_data_src source = {.val = data_src};
    uint64_t level = source.mem_lvl;
    if (level & PERF_MEM_LVL_MISS)
        return LOAD_UNKNOWN; // the level that is named did not answer
    if (level & load_remote_ram)
        return LOAD_REMOTE_DRAM;
    if (level & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2))
        return load_of_cache(load_is_in_remote_cache(source), source.mem_snoop);
    if (source.mem_lvl_num != PERF_MEM_LVLNUM_NA && source.mem_lvl_num != 0) {
        enum load_source by_number = load_of_number(source);
        if (by_number != LOAD_UNKNOWN)
            return by_number;
    }
    if (level & PERF_MEM_LVL_LOC_RAM)
        return source.mem_remote ? LOAD_REMOTE_DRAM : LOAD_LOCAL_DRAM;
    if (level & load_own_cache)
        return LOAD_OWN_CACHE;
    if (level & PERF_MEM_LVL_L3)
        return LOAD_LOCAL_CACHE;
    return level & (PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC) ? LOAD_OTHER : LOAD_UNKNOWN;
}
