// SPDX-License-Identifier: GPL-2.0-or-later
/* What all Intel dialects share. */
#include "driver.h"

enum { LAB_INTEL_CYCLES = 0x003c, LAB_INTEL_INSTRUCTIONS = 0x00c0 };

int lab_intel_hardware(u64 number, u64 *config)
{
	if (number != PERF_COUNT_HW_CPU_CYCLES && number != PERF_COUNT_HW_INSTRUCTIONS)
		return -ENOENT;
	*config = number == PERF_COUNT_HW_CPU_CYCLES ? LAB_INTEL_CYCLES : LAB_INTEL_INSTRUCTIONS;
	return 0;
}

int lab_intel_cycles_or_instructions(u64 config, struct lab_program *program)
{
	if (config != LAB_INTEL_CYCLES && config != LAB_INTEL_INSTRUCTIONS)
		return -EINVAL;
	program->unit = config == LAB_INTEL_CYCLES ? LAB_UNIT_CYCLES : LAB_UNIT_INSTRUCTIONS;
	program->precise = true;
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

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(edge, "config:18");
PMU_FORMAT_ATTR(inv, "config:23");
PMU_FORMAT_ATTR(cmask, "config:24-31");
PMU_FORMAT_ATTR(offcore_rsp, "config1:0-63");
PMU_FORMAT_ATTR(ldlat, "config1:0-15");

static struct attribute *lab_intel_formats[] = {
	&format_attr_event.attr, &format_attr_umask.attr, &format_attr_edge.attr,  &format_attr_inv.attr,
	&format_attr_cmask.attr, &format_attr_offcore_rsp.attr, &format_attr_ldlat.attr, NULL,
};
const struct attribute_group lab_intel_format_group = { .name = "format", .attrs = lab_intel_formats };

/* The kernel's names for what every Intel PMU has. */
#define LAB_INTEL_EVENT(var, text, number)                                                                                        \
	struct perf_pmu_events_attr lab_intel_event_##var = {                                                                     \
		.attr = { .attr = { .name = text, .mode = 0444 }, .show = perf_event_sysfs_show },                                 \
		.event_str = number,                                                                                               \
	}
LAB_INTEL_EVENT(cycles, "cpu-cycles", "event=0x3c");
LAB_INTEL_EVENT(instructions, "instructions", "event=0xc0");
