// SPDX-License-Identifier: GPL-2.0-or-later
#include "intel.h"

/* Reference cycles have a fixed counter only, and no event code: the kernel calls them so. */
enum { LAB_INTEL_CYCLES = 0x003c, LAB_INTEL_INSTRUCTIONS = 0x00c0, LAB_INTEL_REFERENCE = 0x0300 };

int lab_intel_hardware(u64 number, u64 *config)
{
	switch (number) {
	case PERF_COUNT_HW_CPU_CYCLES:
		*config = LAB_INTEL_CYCLES;
		return 0;
	case PERF_COUNT_HW_INSTRUCTIONS:
		*config = LAB_INTEL_INSTRUCTIONS;
		return 0;
	case PERF_COUNT_HW_REF_CPU_CYCLES:
		*config = LAB_INTEL_REFERENCE;
		return 0;
	default:
		return -ENOENT;
	}
}

int lab_intel_cycles_or_instructions(u64 config, struct lab_program *program)
{
	if (config != LAB_INTEL_CYCLES && config != LAB_INTEL_INSTRUCTIONS && config != LAB_INTEL_REFERENCE)
		return -EINVAL;
	program->unit = config == LAB_INTEL_INSTRUCTIONS ? LAB_UNIT_INSTRUCTIONS : LAB_UNIT_CYCLES;
	program->reference = config == LAB_INTEL_REFERENCE;
	program->precise = true;
	return 0;
}

int lab_intel_latency(u64 config1, struct lab_program *program)
{
	if (config1 & ~0xffffull)
		return -EINVAL;
	program->unit = LAB_UNIT_SLOW_LOADS;
	program->threshold = config1;
	program->precise = true;
	program->telling = LAB_TELLS_SOURCE;
	return 0;
}

union perf_mem_data_src lab_intel_near_source(enum lab_outcome outcome)
{
	union perf_mem_data_src source = { .mem_op = PERF_MEM_OP_LOAD, .mem_lvl = PERF_MEM_LVL_HIT };

	if (outcome == LAB_OWN) {
		source.mem_lvl |= PERF_MEM_LVL_L1;
		source.mem_lvl_num = PERF_MEM_LVLNUM_L1;
		source.mem_snoop = PERF_MEM_SNOOP_NONE;
	} else if (outcome < LAB_MEMORY) {
		source.mem_lvl |= PERF_MEM_LVL_L3;
		source.mem_lvl_num = PERF_MEM_LVLNUM_L3;
		source.mem_snoop = outcome == LAB_HIT	    ? PERF_MEM_SNOOP_NONE :
				   outcome == LAB_HIT_CLEAN ? PERF_MEM_SNOOP_HIT :
							      PERF_MEM_SNOOP_HITM;
	}
	return source;
}

/* From Skylake on remote memory is told by level and `remote`, never by a level of its own; caches likewise. */
u64 lab_intel_source(const struct lab_record *record)
{
	const struct lab_parts parts = lab_parts_of(record->outcome);
	union perf_mem_data_src source = lab_intel_near_source(record->outcome);

	source.mem_lock = PERF_MEM_LOCK_NA;
	source.mem_dtlb = PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2;
	if (parts.answer == LAB_ANSWER_CACHE || parts.answer == LAB_ANSWER_DIRTY) {
		source.mem_lvl_num = PERF_MEM_LVLNUM_ANY_CACHE;
		source.mem_remote = 1;
		if (parts.answer == LAB_ANSWER_DIRTY)
			source.mem_snoop = PERF_MEM_SNOOP_HITM;
		else
			source.mem_snoopx = PERF_MEM_SNOOPX_FWD;
	} else if (parts.answer == LAB_ANSWER_MEMORY) {
		source.mem_lvl_num = PERF_MEM_LVLNUM_RAM;
		source.mem_remote = parts.home == LAB_FAR;
		source.mem_lvl |= source.mem_remote ? 0 : PERF_MEM_LVL_LOC_RAM;
		source.mem_snoop = source.mem_remote ? PERF_MEM_SNOOP_NONE : PERF_MEM_SNOOP_HIT;
		if (parts.slow) {
			source.mem_lvl = PERF_MEM_LVL_HIT;
			source.mem_lvl_num = PERF_MEM_LVLNUM_PMEM; /* what the kernel calls CXL as well */
			source.mem_snoop = PERF_MEM_SNOOP_HIT;
		}
	}
	return source.val;
}

struct lab_intel_request {
	u64 config1;
	lab_intel_bits_of *bits_of;
};

static bool lab_intel_response(enum lab_outcome outcome, const struct lab_parts *parts, u64 argument)
{
	enum { ANY = 16 };
	const struct lab_intel_request *request = (const void *)argument;
	struct lab_intel_bits bits;

	if (outcome == LAB_OWN)
		return false;
	bits = request->bits_of(outcome, parts);
	return (request->config1 >> ANY & 1) ||
		((request->config1 >> bits.supplier & 1) && (request->config1 >> bits.snoop & 1));
}

/* Requests: 0 read, 1 RFO, 2 code, 3 write-back, 4 and 5 prefetches into L2 (read, RFO), elsewhere those into L3. */
static u32 lab_intel_classes(u64 config1, unsigned int prefetch_l3)
{
	unsigned int prefetch = READ_ONCE(lab_shared->prefetch_into_shared) ? prefetch_l3 : 4;
	u32 classes = config1 & (LAB_BIT(LAB_READ) | LAB_BIT(LAB_RFO) | LAB_BIT(LAB_FETCH) | LAB_BIT(LAB_WRITE_BACK));

	return classes | (config1 >> prefetch & 3) << LAB_PREFETCH_READ;
}

int lab_intel_offcore(u64 config1, u64 valid, unsigned int prefetch_l3, lab_intel_bits_of *bits_of,
                      struct lab_program *program)
{
	const struct lab_intel_request request = { .config1 = config1, .bits_of = bits_of };

	if (config1 & ~valid)
		return -EINVAL;
	program->unit = LAB_UNIT_REQUESTS;
	program->offcore = true;
	program->offcore_config = config1;
	program->classes = lab_intel_classes(config1, prefetch_l3);
	program->outcomes = lab_outcomes_where(lab_intel_response, (u64)&request);
	return 0;
}

static bool lab_intel_retired_outcome(enum lab_outcome outcome, const struct lab_parts *parts, u64 config)
{
	bool memory = parts->answer == LAB_ANSWER_MEMORY && !parts->slow;

	switch (config) {
	case 0x01d1: /* MEM_LOAD_RETIRED:L1_HIT; the emulated private cache is one level */
		return outcome == LAB_OWN;
	case 0x04d1: /* L3_HIT */
		return parts->answer == LAB_ANSWER_SHARED;
	case 0x08d1: /* L1_MISS */
	case 0x10d1: /* L2_MISS */
		return outcome != LAB_OWN;
	case 0x20d1: /* L3_MISS */
		return parts->answer >= LAB_ANSWER_MEMORY;
	case 0x02d2: /* MEM_LOAD_L3_HIT_RETIRED: a snoop hit without forwarding */
		return outcome == LAB_HIT_CLEAN;
	case 0x04d2: /* a snoop hit of a modified line */
		return outcome == LAB_HIT_MODIFIED;
	case 0x08d2: /* XSNP_NONE */
		return outcome == LAB_HIT;
	case 0x01d3: /* MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM */
		return memory && parts->home != LAB_FAR;
	case 0x02d3: /* REMOTE_DRAM */
		return memory && parts->home == LAB_FAR;
	case 0x04d3: /* REMOTE_HITM */
		return parts->answer == LAB_ANSWER_DIRTY;
	case 0x08d3: /* REMOTE_FWD */
		return parts->answer == LAB_ANSWER_CACHE;
	case 0x10d3: /* REMOTE_PMM, on Granite Rapids REMOTE_CXL_MEM; there is no word for the own package's */
		return parts->slow && parts->home == LAB_FAR;
	case 0x81d0: /* MEM_INST_RETIRED:ALL_LOADS */
		return true;
	default:
		return false;
	}
}

int lab_intel_retired(u64 config, struct lab_program *program)
{
	enum { ALL_STORES = 0x82d0 };

	if (!lab_intel_cycles_or_instructions(config, program))
		return 0;
	program->unit = config == ALL_STORES ? LAB_UNIT_STORES : LAB_UNIT_LOADS;
	program->telling = config == ALL_STORES ? LAB_TELLS_STORE : LAB_TELLS_ADDRESS;
	program->precise = true;
	program->outcomes = lab_outcomes_where(lab_intel_retired_outcome, config);
	return program->outcomes || config == ALL_STORES ? 0 : -EINVAL;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(edge, "config:18");
PMU_FORMAT_ATTR(inv, "config:23");
PMU_FORMAT_ATTR(cmask, "config:24-31");
PMU_FORMAT_ATTR(offcore_rsp, "config1:0-63");
PMU_FORMAT_ATTR(ldlat, "config1:0-15");

static struct attribute *lab_intel_formats[] = {
	&format_attr_event.attr, &format_attr_umask.attr,	&format_attr_edge.attr,	 &format_attr_inv.attr,
	&format_attr_cmask.attr, &format_attr_offcore_rsp.attr, &format_attr_ldlat.attr, NULL,
};
const struct attribute_group lab_intel_format_group = { .name = "format", .attrs = lab_intel_formats };

LAB_EVENT(lab_intel_cycles, "cpu-cycles", "event=0x3c");
LAB_EVENT(lab_intel_instructions, "instructions", "event=0xc0");
LAB_EVENT(lab_intel_mem_loads, "mem-loads", "event=0xcd,umask=0x1,ldlat=3");
LAB_EVENT(lab_intel_mem_stores, "mem-stores", "event=0xd0,umask=0x82");

static struct attribute *lab_intel_events[] = {
	&lab_intel_cycles.attr.attr,	&lab_intel_instructions.attr.attr,
	&lab_intel_mem_loads.attr.attr, &lab_intel_mem_stores.attr.attr,
	NULL,
};
static const struct attribute_group lab_intel_event_group = { .name = "events", .attrs = lab_intel_events };
const struct attribute_group *lab_intel_groups[] =
    { &lab_intel_format_group, &lab_intel_event_group, &lab_pmu_caps_group, NULL };
