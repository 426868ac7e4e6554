// SPDX-License-Identifier: GPL-2.0-or-later
// One line that a CPU needs, or soon will: from its private cache, else from beyond, counted.
#ifndef HARDWARE_LINE_H
#define HARDWARE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/hardware/counters.h"
#include "lab/hardware/cpu.h"

enum { LINE_BYTES = 1 << MACHINE_LINE_SHIFT };

static inline uint64_t line_number(uint64_t address)
{
    return address >> MACHINE_LINE_SHIFT;
}

// The line at access->address is used; fills in where it is and who answered, and notes it in the table. False: not in
// memory.
bool line_use(struct cpu *cpu, enum lab_class class, struct cpu_filter *table, struct counters_access *access);

// A line was used that had not been lately, by its virtual number and its physical one: asks for what its stream will
// need.
void line_follow(struct cpu *cpu, uint64_t ip, uint64_t number, uint64_t line, bool store);

#endif
