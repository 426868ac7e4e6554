// SPDX-License-Identifier: GPL-2.0-or-later
// The counters of a CPU: what was counted, and the samples taken exactly at the access that used up a period.
#ifndef HARDWARE_COUNTERS_H
#define HARDWARE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/shared.h"

struct cpu;

struct counters_access {
    uint64_t ip, address, physical; // address: 0 for write-backs
    enum lab_outcome outcome;
    uint32_t latency;
};

static inline unsigned counters_level(uint64_t ip)
{
    return ip >> 63 ? LAB_KERNEL : LAB_USER;
}

// A request left the private cache.
void counters_request(struct cpu *cpu, enum lab_class class, const struct counters_access *access);

// An instruction has read or written. Complete only for what lab_cpu.watch asks for; otherwise those that left the fast
// path, which is all but some of outcome LAB_OWN.
void counters_load(struct cpu *cpu, const struct counters_access *access);
void counters_store(struct cpu *cpu, const struct counters_access *access);

// The tagged instruction has accessed memory, or has ended without (what: LAB_RECORD_NEITHER).
void counters_tagged(struct cpu *cpu, const struct counters_access *access, int what);

// A block of instructions begins. Cycles are one for each, and those that the CPU has waited.
void counters_block(struct cpu *cpu, uint64_t ip, unsigned instructions, uint64_t waited);

#endif
