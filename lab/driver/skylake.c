// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Skylake-SP. Encodings: libpfm4, table skx; response bits, generic events and the reading of load-latency records: the
 * kernel's arch/x86/events/intel/core.c and ds.c. Who is local: offcore responses tell clusters of one package apart,
 * retired loads and sampled ones only packages (assumed: no public text says what they do in sub-NUMA clusters).
 */
#include "intel.h"

#include <asm/processor.h>

enum {
	SKX_OFFCORE_0 = 0x01b7,
	SKX_OFFCORE_1 = 0x01bb,
	SKX_LATENCY = 0x01cd,
	SKX_REMOTE_PMM = 0x10d3,
	SKX_PREFETCH_L3 = 7, /* request bit PF_L3_DATA_RD, PF_L3_RFO after it */
};

/* intel_skl_extra_regs for the server parts */
static const u64 skx_valid = 0x3fffff8fffull;

/*
 * Response bits: the supplier, which is the shared cache or else says the home of the line, and what the snoop found.
 * An answer is counted if both are asked for, or bit 16, any response.
 */
static struct lab_intel_bits skx_bits(enum lab_outcome outcome, const struct lab_parts *parts)
{
	enum { HIT_M = 18, HIT_E = 19, LOCAL = 26, NEAR = 27, FAR = 28 };
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
	if (parts->answer == LAB_ANSWER_MEMORY)
		return (struct lab_intel_bits){ homes[parts->home], MISS };
	return (struct lab_intel_bits){ homes[parts->home], parts->answer == LAB_ANSWER_DIRTY ? HITM : HIT_FORWARD };
}

static int skx_raw(u64 config, u64 config1, struct lab_program *program)
{
	switch (config) {
	case SKX_OFFCORE_0:
	case SKX_OFFCORE_1:
		return lab_intel_offcore(config1, skx_valid, SKX_PREFETCH_L3, skx_bits, program);
	case SKX_LATENCY:
		return lab_intel_latency(config1, program);
	case SKX_REMOTE_PMM:
		return -EINVAL; /* from Cascade Lake on */
	default:
		return lab_intel_retired(config, program);
	}
}

/* skl_hw_cache_extra_regs: an access is local, a miss remote */
static int skx_cache(unsigned int type, unsigned int op, unsigned int result, u64 *config, u64 *config1)
{
	enum { LOCAL = 0x4000000, REMOTE = 0x38000000 };
	static const u64 requests[] = { [PERF_COUNT_HW_CACHE_OP_READ] = 0x01, [PERF_COUNT_HW_CACHE_OP_WRITE] = 0x02 };
	static const u64 snoops = 0x1fc0000000ull; /* SKL_SNOOP_DRAM */

	if (type != PERF_COUNT_HW_CACHE_NODE || op >= ARRAY_SIZE(requests) || result > PERF_COUNT_HW_CACHE_RESULT_MISS)
		return -ENOENT;
	*config = SKX_OFFCORE_0;
	*config1 = requests[op] | snoops | (result == PERF_COUNT_HW_CACHE_RESULT_MISS ? REMOTE : LOCAL);
	return 0;
}

const struct lab_dialect lab_skylake = {
	.name = "skylake",
	.vendor = X86_VENDOR_INTEL,
	.family = 6,
	.model = 0x55,
	.counters = 4,
	.fixed = 3,
	.offcore_registers = 2,
	.offcore_counters = 4,
	.max_precise = 3,
	.groups = lab_intel_groups,
	.hardware = lab_intel_hardware,
	.raw = skx_raw,
	.cache = skx_cache,
	.source = lab_intel_source,
};
