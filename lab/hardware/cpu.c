// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/cpu.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "lab/hardware/qemu.h"
#include "lab/hardware/shared_cache.h"

struct cpu *cpus[LAB_CPUS];
struct cpu *cpu_of_node[LAB_NODES][MACHINE_CPUS_OF_NODE];

int cpu_init(struct lab_shared *shared)
{
    unsigned ranks[LAB_NODES] = {0};
    for (unsigned i = 0; i < machine.cpus; i++) {
        unsigned node = machine.node_of_cpu[i], rank = ranks[node]++;
        if (rank == MACHINE_CPUS_OF_NODE)
            return -E2BIG;
        struct cpu *cpu = cpus[i] = cpu_of_node[node][rank] = aligned_alloc(alignof(struct cpu), sizeof *cpu);
        if (!cpu)
            return -ENOMEM;
        *cpu = (struct cpu){.shared = &shared->cpu[i], .index = i, .node = node, .rank = rank, .generation = 1};
        int error = private_init(&cpu->private);
        if (error)
            return error;
    }
    return 0;
}

static void cpu_clear_tables(struct cpu *cpu)
{
    memset(cpu->data, 0, sizeof cpu->data);
    memset(cpu->code, 0, sizeof cpu->code);
    memset(cpu->translations, 0, sizeof cpu->translations);
    memset(&cpu->streams, 0, sizeof cpu->streams);
    cpu->fetched = 0;
    cpu->generation = 1;
}

void cpu_clear_all(void)
{
    for (unsigned i = 0; i < machine.cpus; i++) {
        private_clear(&cpus[i]->private);
        cpu_clear_tables(cpus[i]);
    }
    shared_cache_clear();
}

void cpu_watch(struct cpu *cpu)
{
    cpu->watch = cpu->shared->watch;
    memset(cpu->kinds, 0, sizeof cpu->kinds);
}

void cpu_arm(struct cpu *cpu, struct cpu_tag tag)
{
    cpu->tag = tag;
    memset(cpu->kinds, 0, sizeof cpu->kinds);
}

void cpu_forget(struct cpu *cpu)
{
    cpu->fetched = 0;
    if (++cpu->generation == CPU_GENERATIONS)
        cpu_clear_tables(cpu);
}

uint64_t cpu_translate(struct cpu *cpu, uint64_t address)
{
    uint64_t number = address >> MACHINE_PAGE_SHIFT, key = cpu_key(cpu, number);
    struct cpu_translation *known = &cpu->translations[number % CPU_TRANSLATIONS];
    if (known->key != key) {
        uint64_t physical = qemu_translate(cpu->index, address);
        if (physical == QEMU_UNMAPPED)
            return physical;
        *known = (struct cpu_translation){.key = key, .page = physical >> MACHINE_PAGE_SHIFT};
    }
    return known->page << MACHINE_PAGE_SHIFT | (address & ((1u << MACHINE_PAGE_SHIFT) - 1));
}
