// SPDX-License-Identifier: GPL-2.0-or-later
// The state of one CPU of the machine; only its own thread touches it, but for the words of its private cache.
#ifndef HARDWARE_CPU_H
#define HARDWARE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/hardware/machine.h"
#include "lab/hardware/private.h"
#include "lab/hardware/stream.h"
#include "lab/shared.h"

enum { CPU_FILTER = 256, CPU_TRANSLATIONS = 2048, CPU_GENERATIONS = 1 << 22 };

// A line lately used, by its virtual address. It is still there if the slot still holds the same word.
struct cpu_filter {
    uint64_t key; // cpu_key of the virtual line
    uint64_t line;
    int64_t slot;
};

struct cpu_translation {
    uint64_t key; // cpu_key of the virtual page
    uint64_t page; // physical
};

struct cpu {
    struct lab_cpu *shared;
    unsigned index, node;
    // Translations are valid within one generation; what invalidates TLB entries starts a new one.
    uint64_t generation;
    uint64_t stall; // cycles waited for memory since the last block
    uint64_t fetched; // key of the line that instructions came from last
    struct private_cache private;
    struct stream_table streams;
    struct cpu_filter data[CPU_FILTER], code[CPU_FILTER];
    struct cpu_translation translations[CPU_TRANSLATIONS];
};

extern struct cpu cpus[LAB_CPUS];

int cpu_init(struct lab_shared *shared);

// All caches and translations empty, as after power-on. No CPU may be running.
void cpu_clear_all(void);

// Forgets what is known of virtual addresses.
void cpu_forget(struct cpu *cpu);

// The guest-physical address, or QEMU_UNMAPPED.
uint64_t cpu_translate(struct cpu *cpu, uint64_t address);

// Tags a number made of a virtual address (at most 42 bits count) with the generation.
static inline uint64_t cpu_key(const struct cpu *cpu, uint64_t number)
{
    return number << 22 | cpu->generation;
}

#endif
