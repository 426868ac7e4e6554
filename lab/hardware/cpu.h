// SPDX-License-Identifier: GPL-2.0-or-later
// The state of one CPU of the machine; only its own thread touches it, but for the words of its private cache.
#ifndef HARDWARE_CPU_H
#define HARDWARE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/hardware/machine.h"
#include "lab/hardware/private.h"
#include "lab/hardware/qemu.h"
#include "lab/hardware/stream.h"
#include "lab/shared.h"

enum { CPU_FILTER = 128, CPU_TRANSLATIONS = 2048, CPU_KINDS = 64, CPU_GENERATIONS = 1 << 21 };

// A line lately used or prefetched, by its virtual address. It is still there if the slot still holds its word.
struct cpu_filter {
    uint64_t key; // cpu_key of the virtual line; with CPU_FRESH if it was prefetched and not used yet
    uint32_t slot;
    private_word modified; // the word that the slot has if the line is there and modified
};
#define CPU_FRESH ((uint64_t)CPU_GENERATIONS)

// What QEMU's description of an access says, kept since asking takes longer.
struct cpu_kind {
    qemu_plugin_meminfo_t info;
    uint8_t limit; // the offset in a line from which on the access reaches into the next one
    uint8_t differs; // by how much, at least, the line's word differs from modified if its state will not do
};

struct cpu_translation {
    uint64_t key; // cpu_key of the virtual page
    uint64_t page; // physical
};

// An instruction whose first access is a sample: the one at this place of the block that is running.
struct cpu_tag {
    bool armed;
    unsigned place, slot;
    uint64_t ip; // of the block
};

struct cpu {
    struct lab_cpu *shared;
    struct truth *truth; // NULL: nothing is noted by page
    unsigned index, node, rank; // rank: among the CPUs of its node
    // Translations are valid within one generation; what invalidates TLB entries starts a new one.
    uint64_t generation;
    uint64_t stall; // cycles waited for memory since the last block
    uint64_t fetched; // number of the virtual line that instructions came from last
    uint32_t watch; // lab_cpu.watch, as last told
    unsigned place; // in its block, of the instruction whose access is off the fast path now
    struct cpu_tag tag;
    struct cpu_kind kinds[CPU_KINDS]; // empty while loads or stores are watched: nothing passes on the fast path
    struct private_cache private;
    struct stream_table streams;
    struct cpu_filter data[CPU_FILTER], code[CPU_FILTER];
    struct cpu_translation translations[CPU_TRANSLATIONS];
};

extern struct cpu *cpus[LAB_CPUS];
extern struct cpu *cpu_of_node[LAB_NODES][MACHINE_CPUS_OF_NODE]; // by rank

int cpu_init(struct lab_shared *shared);

// All caches and translations empty, as after power-on. No CPU may be running.
void cpu_clear_all(void);

// The driver has changed lab_cpu.watch.
void cpu_watch(struct cpu *cpu);

// The accesses of what runs now leave the fast path, until the tag is used.
void cpu_arm(struct cpu *cpu, struct cpu_tag tag);

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
