// SPDX-License-Identifier: Apache-2.0
// IBS samples as kernels before Linux 6.1 write them: the registers, and PERF_MEM_NA in place of a source. What the
// registers mean is in AMD's manuals; arch/x86/events/amd/ibs.c of 6.1 and later reads them the same way.
#include "collectors/loads/loads_ibs.h"

#include <linux/perf_event.h>

#include "collectors/loads/loads_source.h"
#include "hand_made.h"

enum { REGISTERS = 7, ADDRESS = 0x7f1234567890, LATENCY = 345 };
enum { DATA2 = 3, DATA3 = 4, LINEAR = 5 };
#define ZEN3 0x3ff
#define ZEN4 0xbff
#define LOAD UINT64_C(0x1)
#define STORE UINT64_C(0x2)
#define MISSED_L1 (UINT64_C(1) << 7)
#define MISSED (MISSED_L1 | UINT64_C(1) << 20)
#define UNDER_WAY (UINT64_C(1) << 16)
#define UNCACHED (UINT64_C(1) << 14)
#define HAS_ADDRESS (UINT64_C(1) << 17)
#define REMOTE UINT64_C(0x10)

struct registers {
    uint32_t capabilities;
    uint64_t value[REGISTERS];
} __attribute__((packed));

static struct registers registers;

static struct perf_sample decoded(uint32_t capabilities, uint64_t data2, uint64_t data3)
{
    const union perf_mem_data_src nothing = {.mem_op = PERF_MEM_OP_NA, .mem_lvl = PERF_MEM_LVL_NA,
                                             .mem_snoop = PERF_MEM_SNOOP_NA, .mem_lock = PERF_MEM_LOCK_NA,
                                             .mem_dtlb = PERF_MEM_TLB_NA};
    registers = (struct registers){.capabilities = capabilities};
    registers.value[DATA2] = data2;
    registers.value[DATA3] = data3 | (uint64_t)LATENCY << 32;
    registers.value[LINEAR] = ADDRESS;
    struct perf_sample sample = {.source = nothing.val, .raw = (const char *)&registers, .raw_bytes = sizeof registers};
    loads_ibs_decode(&sample);
    return sample;
}

// Each value of the source, of a load that missed the caches of its core.
static const struct {
    unsigned answer;
    enum load_source old, extended;         // until Zen 3, from Zen 4 on
    enum load_source old_remote, extended_remote; // with the bit of the other node
} answers[] = {
    {0, LOAD_UNKNOWN, LOAD_UNKNOWN, LOAD_UNKNOWN, LOAD_UNKNOWN},
    {1, LOAD_UNKNOWN, LOAD_LOCAL_CACHE, LOAD_UNKNOWN, LOAD_LOCAL_CACHE},
    {2, LOAD_LOCAL_CACHE, LOAD_LOCAL_CACHE, LOAD_LOCAL_CACHE, LOAD_LOCAL_CACHE},
    {3, LOAD_LOCAL_DRAM, LOAD_LOCAL_DRAM, LOAD_REMOTE_DRAM, LOAD_REMOTE_DRAM},
    {4, LOAD_REMOTE_CACHE, LOAD_UNKNOWN, LOAD_REMOTE_CACHE, LOAD_UNKNOWN},
    {5, LOAD_UNKNOWN, LOAD_REMOTE_CACHE, LOAD_UNKNOWN, LOAD_REMOTE_CACHE},
    {6, LOAD_UNKNOWN, LOAD_SLOW_TIER, LOAD_UNKNOWN, LOAD_SLOW_TIER},
    {7, LOAD_OTHER, LOAD_OTHER, LOAD_OTHER, LOAD_OTHER},
    {8, LOAD_UNKNOWN, LOAD_SLOW_TIER, LOAD_UNKNOWN, LOAD_SLOW_TIER},
    {12, LOAD_REMOTE_CACHE, LOAD_UNKNOWN, LOAD_REMOTE_CACHE, LOAD_UNKNOWN},
};

TEST(every_source_of_a_load_is_decoded)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        // Older CPUs have three bits; those of larger numbers are reserved there.
        const uint64_t data2 = (answers[i].answer & 7) | (uint64_t)(answers[i].answer >> 3) << 6;
        const uint64_t data3 = LOAD | MISSED | HAS_ADDRESS;
        if (answers[i].answer != 8) {
            CHECK_EQ(load_source_of(decoded(ZEN3, data2, data3).source), answers[i].old);
            CHECK_EQ(load_source_of(decoded(ZEN3, data2 | REMOTE, data3).source), answers[i].old_remote);
        }
        CHECK_EQ(load_source_of(decoded(ZEN4, data2, data3).source), answers[i].extended);
        CHECK_EQ(load_source_of(decoded(ZEN4, data2 | REMOTE, data3).source), answers[i].extended_remote);
    }
}

TEST(address_latency_and_kind_are_the_registers)
{
    const struct perf_sample load = decoded(ZEN3, 3, LOAD | MISSED | HAS_ADDRESS),
                             store = decoded(ZEN3, 3, STORE | MISSED | HAS_ADDRESS);
    const union perf_mem_data_src of_load = {.val = load.source}, of_store = {.val = store.source};
    CHECK_EQ(load.address, ADDRESS);
    CHECK_EQ(load.weight, LATENCY);
    CHECK_EQ(of_load.mem_op, PERF_MEM_OP_LOAD);
    CHECK_EQ(store.address, ADDRESS);
    CHECK_EQ(store.weight, 0);
    CHECK_EQ(of_store.mem_op, PERF_MEM_OP_STORE);
    CHECK_EQ(load_source_of(store.source), LOAD_UNKNOWN); // the source register is of loads only
    CHECK_EQ(decoded(ZEN3, 3, LOAD | MISSED).address, 0);
    CHECK_EQ(decoded(ZEN3, 0, LOAD | HAS_ADDRESS).weight, 0);
}

TEST(own_caches_and_lines_on_their_way)
{
    CHECK_EQ(load_source_of(decoded(ZEN3, 3, LOAD).source), LOAD_OWN_CACHE);
    CHECK_EQ(load_source_of(decoded(ZEN3, 3, LOAD | MISSED_L1).source), LOAD_OWN_CACHE);
    CHECK_EQ(load_source_of(decoded(ZEN3, 0, LOAD | MISSED | UNDER_WAY).source), LOAD_OWN_CACHE);
    CHECK_EQ(load_source_of(decoded(ZEN3, 3, LOAD | MISSED | UNDER_WAY).source), LOAD_LOCAL_DRAM);
    CHECK_EQ(load_source_of(decoded(ZEN3, 3, LOAD | MISSED | UNCACHED).source), LOAD_OTHER);
}

TEST(what_is_no_access_or_is_decoded_already_stays)
{
    CHECK_EQ(decoded(ZEN3, 3, MISSED | HAS_ADDRESS).address, 0);
    const union perf_mem_data_src kernels = {.mem_op = PERF_MEM_OP_LOAD, .mem_lvl = PERF_MEM_LVL_L2};
    struct perf_sample sample = {.source = kernels.val, .address = 1, .weight = 2, .raw = (const char *)&registers,
                                 .raw_bytes = sizeof registers};
    registers.value[DATA3] = LOAD | MISSED | HAS_ADDRESS;
    loads_ibs_decode(&sample);
    CHECK(sample.source == kernels.val && sample.address == 1 && sample.weight == 2);
    sample = (struct perf_sample){.raw = (const char *)&registers, .raw_bytes = sizeof registers - 17};
    loads_ibs_decode(&sample);
    CHECK_EQ(sample.source, 0);
    sample = (struct perf_sample){0}; // no registers at all
    loads_ibs_decode(&sample);
    CHECK_EQ(sample.source, 0);
}

// A record of a ring of such a CPU, with the registers in their place among the other fields.
TEST(registers_are_found_in_the_record)
{
    struct {
        struct perf_event_header header;
        uint64_t address;
        uint32_t bytes;
        struct registers registers;
        uint64_t source;
    } __attribute__((packed)) record = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof record},
                                        .bytes = sizeof record.registers,
                                        .registers = {.capabilities = ZEN3}};
    const struct perf_layout layout = {.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC};
    struct perf_sample sample;
    record.registers.value[DATA2] = 3 | REMOTE;
    record.registers.value[DATA3] = LOAD | MISSED | HAS_ADDRESS;
    record.registers.value[LINEAR] = ADDRESS;
    union {
        struct perf_event_header header;
        char bytes[sizeof record];
    } aligned;
    memcpy(aligned.bytes, &record, sizeof record);
    CHECK_EQ(perf_record_sample(&aligned.header, &layout, &sample), 0);
    loads_ibs_decode(&sample);
    CHECK_EQ(sample.address, ADDRESS);
    CHECK_EQ(load_source_of(sample.source), LOAD_REMOTE_DRAM);
}
