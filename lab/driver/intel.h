/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all Intel dialects share. */
#ifndef LAB_INTEL_H
#define LAB_INTEL_H

#include "driver.h"

extern const struct attribute_group lab_intel_format_group;
extern struct perf_pmu_events_attr lab_intel_cycles, lab_intel_instructions;
extern struct perf_pmu_events_attr lab_intel_mem_loads, lab_intel_mem_stores; /* from Skylake on */

int lab_intel_hardware(u64 number, u64 *config);
int lab_intel_cycles_or_instructions(u64 config, struct lab_program *program);
int lab_intel_latency(u64 config1, struct lab_program *program);

/* PERF_SAMPLE_DATA_SRC of a load answered within the node; the rest of the fields is the dialect's. */
union perf_mem_data_src lab_intel_near_source(enum lab_outcome outcome);

/* From Skylake on: */

extern const struct attribute_group *lab_intel_groups[];

/* An outcome's bits in an offcore-response register. */
struct lab_intel_bits {
	unsigned int supplier, snoop;
};
typedef struct lab_intel_bits lab_intel_bits_of(enum lab_outcome outcome, const struct lab_parts *parts);

int lab_intel_offcore(u64 config1, u64 valid, unsigned int prefetch_l3, lab_intel_bits_of *bits_of,
                      struct lab_program *program);
int lab_intel_retired(u64 config, struct lab_program *program);
u64 lab_intel_source(const struct lab_record *record);

#endif
