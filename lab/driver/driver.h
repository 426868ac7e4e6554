/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's driver of the emulated counters. Inside: who calls whom. */
#ifndef LAB_DRIVER_H
#define LAB_DRIVER_H

#define pr_fmt(fmt) "numaprof lab: " fmt

#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "shared.h"

/* What a sample can tell beyond the instruction. */
enum lab_telling {
	LAB_TELLS_NOTHING,
	LAB_TELLS_ADDRESS, /* of a load, and nothing about its source */
	LAB_TELLS_SOURCE, /* of a load: address, latency and who answered */
	LAB_TELLS_STORE, /* address of a store */
	LAB_TELLS_TAGGED, /* of a load as LAB_TELLS_SOURCE, of a store its address, of others nothing */
};

/* What a perf event is to the hardware. */
struct lab_program {
	u32 unit, levels, classes, outcomes, threshold;
	bool offcore; /* needs an offcore-response register set to: */
	u64 offcore_config;
	bool reference; /* cycles of the clock that never changes: here all cycles */
	bool precise; /* may be opened with precise_ip */
	u32 extra; /* a defect: each one counts as 1 + extra */
	bool sibling; /* a defect: what the core's other thread does is counted too */
	enum lab_telling telling;
};

/*
 * A processor's own language: which encodings it knows, and what they count. Encodings come from libpfm4's tables and
 * the kernel's masks, not from the profiler's catalogue: an error in one shows against the other.
 */
struct lab_dialect {
	const char *name; /* as in caps/pmu_name */
	unsigned int vendor, family, model;
	/* General counters; one each for instructions, cycles and reference cycles follows if `fixed`. */
	unsigned int counters, fixed;
	unsigned int offcore_registers, offcore_counters; /* offcore events fit the first so many counters */
	unsigned int max_precise; /* 0: no precise sampling */
	bool tags; /* has instruction-based sampling */
	const struct attribute_group **groups;
	/* 0 and the program filled in, or -EINVAL: not in this language. */
	int (*raw)(u64 config, u64 config1, struct lab_program *program);
	/* PERF_TYPE_HARDWARE as a raw number; -ENOENT: not counted. */
	int (*hardware)(u64 number, u64 *config);
	/* PERF_TYPE_HW_CACHE as raw numbers; -ENOENT: no such thing. */
	int (*cache)(unsigned int type, unsigned int op, unsigned int result, u64 *config, u64 *config1);
	/* More conditions on the event, or NULL. */
	int (*check)(const struct perf_event *event, const struct lab_program *program);
	/* PERF_SAMPLE_DATA_SRC of a sampled load. */
	u64 (*source)(const struct lab_record *record);
};

/* An event with a name of its own in sysfs. */
#define LAB_EVENT(variable, text, terms)                                                                    \
	struct perf_pmu_events_attr variable = {                                                            \
		.attr = { .attr = { .name = text, .mode = 0444 }, .show = perf_event_sysfs_show },          \
		.event_str = terms,                                                                         \
	}

#define LAB_BIT(n) (1u << (n))
#define LAB_DEMAND (LAB_BIT(LAB_READ) | LAB_BIT(LAB_RFO))
#define LAB_ALL_OUTCOMES (LAB_BIT(LAB_OUTCOMES) - 1)

/* What an outcome consists of. */
enum lab_answer { LAB_ANSWER_OWN, LAB_ANSWER_SHARED, LAB_ANSWER_MEMORY, LAB_ANSWER_CACHE, LAB_ANSWER_DIRTY };
struct lab_parts {
	enum lab_answer answer;
	enum lab_where home; /* from LAB_ANSWER_MEMORY on */
	bool far; /* LAB_ANSWER_CACHE, _DIRTY: the other node is in another package */
	bool slow; /* LAB_ANSWER_MEMORY: of a slow tier; dialects without a word for that call it DRAM */
};
struct lab_parts lab_parts_of(enum lab_outcome outcome);

/* dialect.c */
extern const struct lab_dialect lab_nehalem, lab_westmere, lab_skylake, lab_sapphire, lab_granite, lab_zen3;
const struct lab_dialect *lab_dialect_find(void);
/* The outcomes for which `wants` is true, as a mask. */
u32 lab_outcomes_where(bool (*wants)(enum lab_outcome outcome, const struct lab_parts *parts, u64 argument),
                       u64 argument);

/* device.c */
extern struct lab_shared *lab_shared;
int lab_device_init(void);
void lab_device_exit(void);
struct lab_cpu *lab_device_cpu(int cpu);
/* To be called on the CPU of `hardware`. */
void lab_device_watch(struct lab_cpu *hardware, u32 watch);
int lab_device_simulate(enum lab_simulation what);

/* kernel.c: functions of the kernel that modules may not link to */
struct lab_kernel {
	int (*overflow)(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs);
	struct perf_callchain_entry *(*callchain)(struct perf_event *event, struct pt_regs *regs);
	void (*log_lost)(struct perf_event *event, u64 lost);
};
extern struct lab_kernel lab_kernel;
int lab_kernel_find(void);

/* pmu.c */
struct lab_pmu_cpu {
	struct lab_cpu *hardware;
	struct perf_event *events[LAB_SLOTS];
	u64 offcore_config[2];
	unsigned int offcore_users[2];
	bool draining;
};
DECLARE_PER_CPU(struct lab_pmu_cpu, lab_pmu_cpu);
extern const struct lab_dialect *lab_dialect;
extern bool lab_cloud;
extern const struct attribute_group lab_pmu_caps_group;
int lab_pmu_register(void);
void lab_pmu_unregister(void);
/* The event counts by this program from now on; it frees the program at its end, unless there is an error. */
int lab_pmu_attach(struct perf_event *event, struct lab_program *program);
int lab_pmu_add(struct perf_event *event, int flags);
void lab_pmu_del(struct perf_event *event, int flags);
void lab_pmu_start(struct perf_event *event, int flags);
void lab_pmu_stop(struct perf_event *event, int flags);
void lab_pmu_read(struct perf_event *event);

/* defect.c */
int lab_defect_init(void);
/* Changes the program as the machine's defects do. */
void lab_defect_apply(struct lab_program *program);
/* What to add to the count of this CPU's counter at any moment: a number that only grows, 0 without such a defect. */
u64 lab_defect_offset(const struct lab_program *program);

/* ibs.c */
int lab_ibs_register(void);
void lab_ibs_unregister(void);

/* sample.c */
int lab_sample_init(void);
void lab_sample_exit(void);
void lab_sample_drain(struct pt_regs *regs);
bool lab_sample_urgent(const struct perf_event *event);

/* truth.c */
int lab_truth_init(void);
void lab_truth_exit(void);

/* selftest.c */
int lab_selftest(void);

#endif
