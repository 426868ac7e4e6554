// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Zen 3. Encodings: libpfm4, table amd64_fam19h_zen3: data cache fills by where the data came from.
 */
#include "driver.h"

#include <asm/processor.h>

enum { ZEN_CYCLES = 0x76, ZEN_INSTRUCTIONS = 0xc0 };

/* Umask bits of the fill events. */
enum {
	ZEN_L2 = 0x01, /* the private cache is one level here: does not happen */
	ZEN_SAME_COMPLEX = 0x02, /* INT_CACHE */
	ZEN_NEAR_CACHE = 0x04, /* EXT_CACHE_LCL: another complex of the same node */
	ZEN_NEAR_MEMORY = 0x08, /* MEM_IO_LCL */
	ZEN_FAR_CACHE = 0x10, /* EXT_CACHE_RMT: "CCX cache in different node" */
	ZEN_FAR_MEMORY = 0x40, /* MEM_IO_RMT */
	ZEN_SOURCES = 0x5f,
};

static bool zen_source_wanted(enum lab_outcome outcome, const struct lab_parts *parts, u64 umask)
{
	switch (parts->answer) {
	case LAB_ANSWER_OWN:
		return false;
	case LAB_ANSWER_SHARED:
		return umask & ZEN_SAME_COMPLEX;
	case LAB_ANSWER_MEMORY:
		return umask & (parts->home == LAB_HERE ? ZEN_NEAR_MEMORY : ZEN_FAR_MEMORY);
	default:
		return umask & ZEN_FAR_CACHE; /* a node is one complex here */
	}
}

static u32 zen_fill_classes(u64 number)
{
	const u32 prefetches = LAB_BIT(LAB_PREFETCH_READ) | LAB_BIT(LAB_PREFETCH_RFO);

	switch (number) {
	case 0x43: /* DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM */
		return LAB_DEMAND;
	case 0x44: /* ANY_DATA_CACHE_FILLS_FROM_SYSTEM */
		return LAB_DEMAND | prefetches;
	case 0x5a: /* HARDWARE_PREFETCH_DATA_CACHE_FILLS */
		return prefetches;
	default:
		return 0;
	}
}

static int zen_raw(u64 config, u64 config1, struct lab_program *program)
{
	u64 number = (config & 0xff) | (config >> 24 & 0xf00), umask = config >> 8 & 0xff;

	/* event 0-7 and 32-35, umask 8-15; config1 means nothing to an AMD PMU */
	if (config & ~0xf0000ffffull)
		return -EINVAL;
	if (!umask && (number == ZEN_CYCLES || number == ZEN_INSTRUCTIONS)) {
		program->unit = number == ZEN_CYCLES ? LAB_UNIT_CYCLES : LAB_UNIT_INSTRUCTIONS;
		return 0;
	}
	program->unit = LAB_UNIT_REQUESTS;
	program->classes = zen_fill_classes(number);
	if (number == 0x59 && umask && !(umask & ~ZEN_SOURCES))
		return 0; /* SOFTWARE_PREFETCH_DATA_CACHE_FILLS: there are none */
	if (!program->classes || !umask || (umask & ~ZEN_SOURCES))
		return -EINVAL;
	program->outcomes = lab_outcomes_where(zen_source_wanted, umask);
	return 0;
}

static int zen_hardware(u64 number, u64 *config)
{
	if (number != PERF_COUNT_HW_CPU_CYCLES && number != PERF_COUNT_HW_INSTRUCTIONS)
		return -ENOENT;
	*config = number == PERF_COUNT_HW_CPU_CYCLES ? ZEN_CYCLES : ZEN_INSTRUCTIONS;
	return 0;
}

/* amd_hw_cache_event_ids_f17h has nothing for NODE */
static int zen_cache(unsigned int type, unsigned int op, unsigned int result, u64 *config, u64 *config1)
{
	return -ENOENT;
}

/* As the kernel of 6.1 writes it for processors before Zen 4: the own L3 has the bit of a remote cache as well. */
static u64 zen_source(const struct lab_record *record)
{
	const struct lab_parts parts = lab_parts_of(record->outcome);
	union perf_mem_data_src source = { .val = PERF_MEM_NA };

	source.mem_op = record->store == LAB_RECORD_STORE ? PERF_MEM_OP_STORE : PERF_MEM_OP_LOAD;
	source.mem_lvl = PERF_MEM_LVL_HIT;
	if (parts.answer == LAB_ANSWER_OWN)
		source.mem_lvl |= PERF_MEM_LVL_L1;
	else if (record->store == LAB_RECORD_STORE)
		source.mem_lvl = PERF_MEM_LVL_NA;
	else if (parts.answer == LAB_ANSWER_SHARED)
		source.mem_lvl |= PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1;
	else if (parts.answer == LAB_ANSWER_MEMORY)
		source.mem_lvl |= parts.home == LAB_HERE ? PERF_MEM_LVL_LOC_RAM : PERF_MEM_LVL_REM_RAM1;
	else
		source.mem_lvl |= PERF_MEM_LVL_REM_CCE2;
	return source.val;
}

PMU_FORMAT_ATTR(event, "config:0-7,32-35");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(edge, "config:18");
PMU_FORMAT_ATTR(inv, "config:23");
PMU_FORMAT_ATTR(cmask, "config:24-31");

static struct attribute *zen_formats[] = {
	&format_attr_event.attr, &format_attr_umask.attr, &format_attr_edge.attr, &format_attr_inv.attr,
	&format_attr_cmask.attr, NULL,
};
static const struct attribute_group zen_format_group = { .name = "format", .attrs = zen_formats };

LAB_EVENT(zen_cycles, "cpu-cycles", "event=0x76");
LAB_EVENT(zen_instructions, "instructions", "event=0xc0");

static struct attribute *zen_events[] = { &zen_cycles.attr.attr, &zen_instructions.attr.attr, NULL };
static const struct attribute_group zen_event_group = { .name = "events", .attrs = zen_events };
static const struct attribute_group *zen_groups[] = { &zen_format_group, &zen_event_group, &lab_pmu_caps_group, NULL };

const struct lab_dialect lab_zen3 = {
	.name = "zen3",
	.vendor = X86_VENDOR_AMD,
	.family = 0x19,
	.model = 1,
	.counters = 6,
	.tags = true,
	.source = zen_source,
	.groups = zen_groups,
	.hardware = zen_hardware,
	.raw = zen_raw,
	.cache = zen_cache,
};
