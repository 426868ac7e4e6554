// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sapphire Rapids and Granite Rapids. Encodings: libpfm4, table spr, and Intel's list for Granite Rapids (perfmon,
 * GNR); the generic events, the auxiliary event of load sampling and the reading of its records: the kernel's
 * arch/x86/events/intel/core.c and ds.c.
 */
#include "intel.h"

#include <asm/processor.h>

enum {
	SPR_OFFCORE_0 = 0x012a,
	SPR_OFFCORE_1 = 0x012b,
	SPR_LATENCY = 0x01cd,
	SPR_LATENCY_AUX = 0x8203,
	SPR_PREFETCH_L3 = 7, /* request bits 7, 8, 9 and 13 of HWPF_L3 */
};

/* intel_spr_extra_regs */
static const u64 spr_valid = 0x3fffffffffull;

/*
 * Response bits, from the spr table's composed events: the supplier says where the answer came from (LOCAL_DRAM bit 26,
 * the other cluster 27, the other package 28), not the home as before; a local DRAM answer needs no snoop.
 */
static struct lab_intel_bits spr_bits(enum lab_outcome outcome, const struct lab_parts *parts)
{
	enum { HIT_M = 18, HIT_E = 19, LOCAL = 26, NEAR = 27, FAR = 28 };
	enum { SLOW_NEAR = 22, SLOW_FAR = 24 }; /* of LOCAL_SOCKET_PMM 0x700c00000, REMOTE_PMM 0x703000000; on Granite CXL */
	enum { NOT_NEEDED = 32, MISS = 33, HIT_NO_FORWARD = 34, HIT_FORWARD = 35, HITM = 36 };
	static const unsigned int homes[] = { [LAB_HERE] = LOCAL, [LAB_NEAR] = NEAR, [LAB_FAR] = FAR };

	switch (outcome) {
	case LAB_HIT:
		return (struct lab_intel_bits){ HIT_E, NOT_NEEDED };
	case LAB_HIT_CLEAN:
		return (struct lab_intel_bits){ HIT_E, HIT_NO_FORWARD };
	case LAB_HIT_MODIFIED:
		return (struct lab_intel_bits){ HIT_M, HITM };
	default:
		break;
	}
	if (parts->slow)
		return (struct lab_intel_bits){ parts->home == LAB_FAR ? SLOW_FAR : SLOW_NEAR, NOT_NEEDED };
	if (parts->answer == LAB_ANSWER_MEMORY)
		return (struct lab_intel_bits){ homes[parts->home], parts->home == LAB_HERE ? NOT_NEEDED : MISS };
	return (struct lab_intel_bits){ parts->far ? FAR : NEAR, parts->answer == LAB_ANSWER_DIRTY ? HITM : HIT_FORWARD };
}

static int spr_aux(struct lab_program *program)
{
	program->unit = LAB_UNIT_REQUESTS; /* of no class: it opens the way for load sampling and counts nothing */
	return 0;
}

static int spr_raw(u64 config, u64 config1, struct lab_program *program)
{
	switch (config) {
	case SPR_OFFCORE_0:
	case SPR_OFFCORE_1:
		return lab_intel_offcore(config1, spr_valid, SPR_PREFETCH_L3, spr_bits, program);
	case SPR_LATENCY:
		return lab_intel_latency(config1, program);
	case SPR_LATENCY_AUX:
		return spr_aux(program);
	default:
		return lab_intel_retired(config, program);
	}
}

static bool spr_is_aux(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_RAW && event->attr.config == SPR_LATENCY_AUX;
}

/* Sampled loads with a source need the auxiliary event before them in their group: else -ENODATA, as in the kernel. */
static int spr_check(const struct perf_event *event, const struct lab_program *program)
{
	const struct perf_event *leader = event->group_leader, *sibling;

	if (program->unit != LAB_UNIT_SLOW_LOADS || !(event->attr.sample_type & PERF_SAMPLE_DATA_SRC))
		return 0;
	if (leader == event)
		return -ENODATA;
	if (spr_is_aux(leader))
		return 0;
	for_each_sibling_event(sibling, leader)
		if (spr_is_aux(sibling))
			return 0;
	return -ENODATA;
}

/* spr_hw_cache_extra_regs */
static int spr_cache(unsigned int type, unsigned int op, unsigned int result, u64 *config, u64 *config1)
{
	if (type != PERF_COUNT_HW_CACHE_NODE || op != PERF_COUNT_HW_CACHE_OP_READ || result > PERF_COUNT_HW_CACHE_RESULT_MISS)
		return -ENOENT;
	*config = SPR_OFFCORE_0;
	*config1 = result == PERF_COUNT_HW_CACHE_RESULT_MISS ? 0x3fb3000001ull : 0x10c000001ull;
	return 0;
}

LAB_EVENT(spr_mem_loads_aux, "mem-loads-aux", "event=0x03,umask=0x82");

static struct attribute *spr_events[] = {
	&lab_intel_cycles.attr.attr,	 &lab_intel_instructions.attr.attr, &lab_intel_mem_loads.attr.attr,
	&lab_intel_mem_stores.attr.attr, &spr_mem_loads_aux.attr.attr,	    NULL,
};
static const struct attribute_group spr_event_group = { .name = "events", .attrs = spr_events };
static const struct attribute_group *spr_groups[] =
    { &lab_intel_format_group, &spr_event_group, &lab_pmu_caps_group, NULL };

const struct lab_dialect lab_sapphire = {
	.name = "sapphire_rapids",
	.vendor = X86_VENDOR_INTEL,
	.family = 6,
	.model = 0x8f,
	.counters = 8,
	.fixed = 3,
	.offcore_registers = 2,
	.offcore_counters = 4,
	.max_precise = 3,
	.groups = spr_groups,
	.hardware = lab_intel_hardware,
	.raw = spr_raw,
	.cache = spr_cache,
	.check = spr_check,
	.source = lab_intel_source,
};

/* Granite Rapids needs no auxiliary event to sample loads. */
const struct lab_dialect lab_granite = {
	.name = "granite_rapids",
	.vendor = X86_VENDOR_INTEL,
	.family = 6,
	.model = 0xad,
	.counters = 8,
	.fixed = 3,
	.offcore_registers = 2,
	.offcore_counters = 4,
	.max_precise = 3,
	.groups = lab_intel_groups,
	.hardware = lab_intel_hardware,
	.raw = spr_raw,
	.cache = spr_cache,
	.source = lab_intel_source,
};
