// SPDX-License-Identifier: Apache-2.0
#include "collectors/loads/loads_ibs.h"

#include <linux/perf_event.h>
#include <string.h>

// The kernel writes 32 bits of CPUID 8000001Bh EAX, then the registers from MSR C0011033h on.
enum { IBS_DATA2 = 3, IBS_DATA3 = 4, IBS_ADDRESS = 5, IBS_REGISTERS };
#define IBS_CAN_TELL_MORE (UINT32_C(1) << 11) // IbsOpData2 has five bits of source: Zen 4 and later

// IbsOpData3
#define IBS_LOAD (UINT64_C(1) << 0)
#define IBS_STORE (UINT64_C(1) << 1)
#define IBS_L1_MISS (UINT64_C(1) << 7)
#define IBS_UNCACHED (UINT64_C(1) << 14)
#define IBS_MISS_IS_UNDER_WAY (UINT64_C(1) << 16) // no buffer was allocated for it
#define IBS_HAS_ADDRESS (UINT64_C(1) << 17)
#define IBS_L2_MISS (UINT64_C(1) << 20)
enum { IBS_LATENCY_SHIFT = 32, IBS_LATENCY_BITS = 0xffff };

// IbsOpData2
#define IBS_IS_REMOTE (UINT64_C(1) << 4)
enum { IBS_SOURCE_BITS = 7, IBS_HIGH_SHIFT = 6, IBS_HIGH_BITS = 3, IBS_LOW_BITS = 3 };
enum { IBS_OLD_LOCAL_CACHE = 2, IBS_OLD_REMOTE_CACHE = 4 };
enum { IBS_L3 = 1, IBS_NEAR_CACHE = 2, IBS_DRAM = 3, IBS_FAR_CACHE = 5, IBS_PMEM = 6, IBS_IO = 7, IBS_EXTENDED = 8 };
enum { IBS_LEVEL_PMEM = 0x0e, IBS_LEVEL_CXL = 0x09 }; // of mem_lvl_num, which older headers lack

struct ibs_registers {
    uint32_t capabilities;
    uint64_t value[IBS_REGISTERS];
};

static bool ibs_read(struct ibs_registers *registers, const struct perf_sample *sample)
{
    if (sample->raw_bytes < sizeof registers->capabilities + sizeof registers->value)
        return false;
    memcpy(&registers->capabilities, sample->raw, sizeof registers->capabilities);
    memcpy(registers->value, sample->raw + sizeof registers->capabilities, sizeof registers->value);
    return true;
}

static union perf_mem_data_src ibs_memory(uint64_t level, unsigned level_number, bool is_remote)
{
    const union perf_mem_data_src source = {.mem_lvl = level | (level ? PERF_MEM_LVL_HIT : 0),
                                            .mem_lvl_num = level_number, .mem_remote = is_remote};
    return source;
}

static union perf_mem_data_src ibs_answer(unsigned answer, bool is_remote, bool is_extended)
{
    switch (answer) {
    case IBS_DRAM:
        return ibs_memory(is_remote ? PERF_MEM_LVL_REM_RAM1 : PERF_MEM_LVL_LOC_RAM, 0, is_remote);
    case IBS_IO:
        return ibs_memory(PERF_MEM_LVL_IO, 0, false);
    case IBS_L3:
        return ibs_memory(is_extended ? PERF_MEM_LVL_L3 : 0, 0, false);
    case IBS_OLD_LOCAL_CACHE: // of an older CPU's node, or IBS_NEAR_CACHE: another complex of the node
        return ibs_memory(PERF_MEM_LVL_L3, 0, false);
    case IBS_OLD_REMOTE_CACHE:
        return ibs_memory(is_extended ? 0 : PERF_MEM_LVL_REM_CCE2, 0, false);
    case IBS_FAR_CACHE:
        return ibs_memory(is_extended ? PERF_MEM_LVL_REM_CCE2 : 0, 0, false);
    case IBS_PMEM:
        return ibs_memory(0, is_extended ? IBS_LEVEL_PMEM : 0, is_remote);
    case IBS_EXTENDED:
        return ibs_memory(0, is_extended ? IBS_LEVEL_CXL : 0, is_remote);
    default:
        return ibs_memory(0, 0, false);
    }
}

// IbsOpData2 is of loads only.
static union perf_mem_data_src ibs_source(const struct ibs_registers *registers)
{
    const uint64_t data2 = registers->value[IBS_DATA2], data3 = registers->value[IBS_DATA3];
    const bool is_extended = registers->capabilities & IBS_CAN_TELL_MORE;
    const unsigned low = (unsigned)(data2 & IBS_SOURCE_BITS);
    const unsigned high = (unsigned)(data2 >> IBS_HIGH_SHIFT) & IBS_HIGH_BITS;
    if (data3 & IBS_UNCACHED)
        return ibs_memory(PERF_MEM_LVL_UNC, 0, false);
    if (!(data3 & IBS_L1_MISS))
        return ibs_memory(PERF_MEM_LVL_L1, 0, false);
    if (!(data3 & IBS_L2_MISS))
        return ibs_memory(PERF_MEM_LVL_L2, 0, false);
    union perf_mem_data_src source = {0};
    if (data3 & IBS_LOAD)
        source = ibs_answer(is_extended ? high << IBS_LOW_BITS | low : low, data2 & IBS_IS_REMOTE, is_extended);
    if (source.mem_lvl == 0 && source.mem_lvl_num == 0 && data3 & IBS_MISS_IS_UNDER_WAY)
        return ibs_memory(PERF_MEM_LVL_LFB, 0, false);
    return source;
}

void loads_ibs_decode(struct perf_sample *sample)
{
    const union perf_mem_data_src kernels = {.val = sample->source};
    struct ibs_registers registers;
    if (kernels.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE) || !ibs_read(&registers, sample))
        return;
    const uint64_t data3 = registers.value[IBS_DATA3];
    if (!(data3 & (IBS_LOAD | IBS_STORE)))
        return;
    union perf_mem_data_src source = ibs_source(&registers);
    source.mem_op = data3 & IBS_LOAD ? PERF_MEM_OP_LOAD : PERF_MEM_OP_STORE;
    sample->source = source.val;
    sample->address = data3 & IBS_HAS_ADDRESS ? registers.value[IBS_ADDRESS] : 0;
    sample->weight = data3 & IBS_LOAD && data3 & IBS_L1_MISS ? data3 >> IBS_LATENCY_SHIFT & IBS_LATENCY_BITS : 0;
}
