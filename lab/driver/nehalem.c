// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nehalem-EP and Westmere-EP. Encodings: libpfm4, tables nhm and wsm_dp; generic events and PEBS source codes: the
 * kernel's arch/x86/events/intel/core.c and ds.c.
 */
#include "intel.h"

#include <asm/processor.h>

enum {
	NHM_EVENT_OFFCORE = 0x01b7, /* OFFCORE_RESPONSE_0 */
	NHM_EVENT_OFFCORE_1 = 0x01bb, /* OFFCORE_RESPONSE_1, Westmere only */
	NHM_EVENT_LATENCY = 0x100b, /* MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD */
	NHM_EVENT_LOADS = 0x010b,
	NHM_EVENT_STORES = 0x020b,
	NHM_MEM_UNCORE_RETIRED = 0x0f,
	NHM_MEM_LOAD_RETIRED = 0xcb,
	NHM_OFFCORE_MASK = 0xffff,
};

/* Bits of the offcore-response register. */
enum {
	NHM_RESPONSE_HIT = 8, /* UNCORE_HIT */
	NHM_RESPONSE_HIT_CLEAN, /* OTHER_CORE_HIT_SNP */
	NHM_RESPONSE_HIT_MODIFIED, /* OTHER_CORE_HITM */
	NHM_RESPONSE_REMOTE_HITM,
	NHM_RESPONSE_12, /* Nehalem: REMOTE_CACHE_FWD; Westmere: LOCAL_DRAM_AND_REMOTE_CACHE_HIT */
	NHM_RESPONSE_REMOTE_DRAM,
	NHM_RESPONSE_14, /* Nehalem: LOCAL_DRAM; Westmere: OTHER_LLC_MISS */
};

static u32 nhm_classes(u64 offcore)
{
	/* DMND_DATA_RD, DMND_RFO, DMND_IFETCH, WB, PF_DATA_RD, PF_RFO; PF_IFETCH and OTHER do not happen here */
	return offcore & 0x3f;
}

static unsigned int nhm_hit_bit(enum lab_outcome outcome)
{
	return NHM_RESPONSE_HIT + (outcome - LAB_HIT);
}

static bool nhm_response(enum lab_outcome outcome, const struct lab_parts *parts, u64 offcore)
{
	unsigned int bit;

	switch (parts->answer) {
	case LAB_ANSWER_OWN:
		return false;
	case LAB_ANSWER_SHARED:
		bit = nhm_hit_bit(outcome);
		break;
	case LAB_ANSWER_DIRTY:
		bit = NHM_RESPONSE_REMOTE_HITM;
		break;
	case LAB_ANSWER_CACHE:
		/* "Remote home requests are not counted": the home's own answer cannot be told from its memory's. */
		bit = parts->home == LAB_HERE ? NHM_RESPONSE_12 : NHM_RESPONSE_REMOTE_DRAM;
		break;
	default:
		bit = parts->home == LAB_HERE ? NHM_RESPONSE_14 : NHM_RESPONSE_REMOTE_DRAM;
	}
	return offcore >> bit & 1;
}

static bool wsm_response(enum lab_outcome outcome, const struct lab_parts *parts, u64 offcore)
{
	if (parts->answer == LAB_ANSWER_MEMORY && parts->home == LAB_HERE)
		return offcore >> NHM_RESPONSE_12 & 1;
	if (parts->answer == LAB_ANSWER_CACHE && parts->home != LAB_HERE)
		return offcore >> NHM_RESPONSE_14 & 1;
	return nhm_response(outcome, parts, offcore);
}

/* MEM_UNCORE_RETIRED */
static bool nhm_uncore_retired(enum lab_outcome outcome, const struct lab_parts *parts, u64 umask)
{
	bool local = parts->home == LAB_HERE;

	switch (umask) {
	case 0x02: /* OTHER_CORE_L2_HITM */
		return outcome == LAB_HIT_MODIFIED;
	case 0x08: /* REMOTE_CACHE_LOCAL_HOME_HIT */
		return parts->answer == LAB_ANSWER_CACHE && local;
	case 0x10: /* REMOTE_DRAM: "and remote home-remote cache HITM" */
		return parts->answer >= LAB_ANSWER_MEMORY && !local;
	case 0x20: /* LOCAL_DRAM: "or locally homed remote hitm" */
		return (parts->answer == LAB_ANSWER_MEMORY || parts->answer == LAB_ANSWER_DIRTY) && local;
	default:
		return false;
	}
}

static bool wsm_uncore_retired(enum lab_outcome outcome, const struct lab_parts *parts, u64 umask)
{
	bool local = parts->home == LAB_HERE;

	switch (umask) {
	case 0x02: /* LOCAL_HITM */
		return outcome == LAB_HIT_MODIFIED;
	case 0x04: /* REMOTE_HITM */
		return parts->answer == LAB_ANSWER_DIRTY;
	case 0x08: /* LOCAL_DRAM_AND_REMOTE_CACHE_HIT */
		return parts->answer == LAB_ANSWER_CACHE || (parts->answer == LAB_ANSWER_MEMORY && local);
	case 0x10: /* REMOTE_DRAM */
		return parts->answer == LAB_ANSWER_MEMORY && !local;
	default:
		return false;
	}
}

/* MEM_LOAD_RETIRED */
static bool nhm_load_retired(enum lab_outcome outcome, const struct lab_parts *parts, u64 umask)
{
	switch (umask) {
	case 0x01: /* L1D_HIT: the emulated private cache is one level */
		return outcome == LAB_OWN;
	case 0x04: /* L3_UNSHARED_HIT */
		return outcome == LAB_HIT;
	case 0x08: /* OTHER_CORE_L2_HIT_HITM */
		return outcome == LAB_HIT_CLEAN || outcome == LAB_HIT_MODIFIED;
	case 0x10: /* L3_MISS */
		return parts->answer >= LAB_ANSWER_MEMORY;
	default:
		return false;
	}
}

static int nhm_retired(u64 config, bool westmere, struct lab_program *program)
{
	u64 umask = config >> 8;

	program->unit = LAB_UNIT_LOADS;
	program->precise = true;
	if ((config & 0xff) == NHM_MEM_LOAD_RETIRED)
		program->outcomes = lab_outcomes_where(nhm_load_retired, umask);
	else if ((config & 0xff) == NHM_MEM_UNCORE_RETIRED)
		program->outcomes = lab_outcomes_where(westmere ? wsm_uncore_retired : nhm_uncore_retired, umask);
	return program->outcomes ? 0 : -EINVAL;
}

static int nhm_offcore(u64 config1, bool westmere, struct lab_program *program)
{
	if (config1 & ~(u64)NHM_OFFCORE_MASK)
		return -EINVAL;
	program->unit = LAB_UNIT_REQUESTS;
	program->offcore = true;
	program->offcore_config = config1;
	program->classes = nhm_classes(config1);
	program->outcomes = lab_outcomes_where(westmere ? wsm_response : nhm_response, config1);
	return 0;
}

static int nhm_or_wsm_raw(u64 config, u64 config1, bool westmere, struct lab_program *program)
{
	switch (config) {
	case NHM_EVENT_OFFCORE_1:
		if (!westmere)
			return -EINVAL;
		fallthrough;
	case NHM_EVENT_OFFCORE:
		return nhm_offcore(config1, westmere, program);
	case NHM_EVENT_LATENCY:
		return lab_intel_latency(config1, program);
	case NHM_EVENT_LOADS:
	case NHM_EVENT_STORES:
		program->unit = config == NHM_EVENT_LOADS ? LAB_UNIT_LOADS : LAB_UNIT_STORES;
		program->outcomes = LAB_ALL_OUTCOMES;
		program->precise = true;
		return 0;
	default:
		return lab_intel_cycles_or_instructions(config, program) ? nhm_retired(config, westmere, program) : 0;
	}
}

static int nhm_raw(u64 config, u64 config1, struct lab_program *program)
{
	return nhm_or_wsm_raw(config, config1, false, program);
}

static int wsm_raw(u64 config, u64 config1, struct lab_program *program)
{
	return nhm_or_wsm_raw(config, config1, true, program);
}

/* The kernel's nehalem_hw_cache_extra_regs, for Westmere the same: an access is local or remote, a miss remote. */
static int nhm_cache(unsigned int type, unsigned int op, unsigned int result, u64 *config, u64 *config1)
{
	enum { LOCAL = 0x5000, REMOTE = 0x2000 };
	static const u64 requests[] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = 0x01,
		[PERF_COUNT_HW_CACHE_OP_WRITE] = 0x02,
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = 0x30,
	};

	if (type != PERF_COUNT_HW_CACHE_NODE || op >= ARRAY_SIZE(requests) || result > PERF_COUNT_HW_CACHE_RESULT_MISS)
		return -ENOENT;
	*config = NHM_EVENT_OFFCORE;
	*config1 = requests[op] | REMOTE | (result == PERF_COUNT_HW_CACHE_RESULT_ACCESS ? LOCAL : 0);
	return 0;
}

/* As the kernel reads Nehalem's load-latency records; they know nothing of TLBs and locks. */
static u64 nhm_source(const struct lab_record *record)
{
	const struct lab_parts parts = lab_parts_of(record->outcome);
	union perf_mem_data_src source = lab_intel_near_source(record->outcome);

	source.mem_lock = PERF_MEM_LOCK_NA;
	source.mem_dtlb = PERF_MEM_TLB_NA;
	if (parts.answer == LAB_ANSWER_CACHE || parts.answer == LAB_ANSWER_DIRTY) {
		source.mem_lvl |= PERF_MEM_LVL_REM_CCE1;
		source.mem_lvl_num = PERF_MEM_LVLNUM_L3;
		source.mem_snoop = parts.answer == LAB_ANSWER_DIRTY ? PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_HIT;
		source.mem_remote = 1;
	} else if (parts.answer == LAB_ANSWER_MEMORY) {
		source.mem_remote = parts.home != LAB_HERE;
		source.mem_lvl |= source.mem_remote ? PERF_MEM_LVL_REM_RAM1 : PERF_MEM_LVL_LOC_RAM;
		source.mem_lvl_num = PERF_MEM_LVLNUM_RAM;
		source.mem_snoop = PERF_MEM_SNOOP_NONE | PERF_MEM_SNOOP_MISS;
	}
	return source.val;
}

LAB_EVENT(nhm_mem_loads, "mem-loads", "event=0x0b,umask=0x10,ldlat=3");

static struct attribute *nhm_events[] = { &lab_intel_cycles.attr.attr, &lab_intel_instructions.attr.attr,
					  &nhm_mem_loads.attr.attr, NULL };
static const struct attribute_group nhm_event_group = { .name = "events", .attrs = nhm_events };

static const struct attribute_group *nhm_groups[] =
    { &lab_intel_format_group, &nhm_event_group, &lab_pmu_caps_group, NULL };

const struct lab_dialect lab_nehalem = {
	.name = "nehalem",
	.vendor = X86_VENDOR_INTEL,
	.family = 6,
	.model = 0x1a,
	.counters = 4,
	.fixed = 3,
	.offcore_registers = 1,
	.offcore_counters = 4,
	.max_precise = 2,
	.groups = nhm_groups,
	.hardware = lab_intel_hardware,
	.raw = nhm_raw,
	.cache = nhm_cache,
	.source = nhm_source,
};

const struct lab_dialect lab_westmere = {
	.name = "westmere",
	.vendor = X86_VENDOR_INTEL,
	.family = 6,
	.model = 0x2c,
	.counters = 4,
	.fixed = 3,
	.offcore_registers = 2,
	.offcore_counters = 4,
	.max_precise = 2,
	.groups = nhm_groups,
	.hardware = lab_intel_hardware,
	.raw = wsm_raw,
	.cache = nhm_cache,
	.source = nhm_source,
};
