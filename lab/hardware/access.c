// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/access.h"

#include "lab/hardware/counters.h"
#include "lab/hardware/cpu.h"
#include "lab/hardware/shared_cache.h"

enum { ACCESS_LINE = 1 << MACHINE_LINE_SHIFT, ACCESS_LARGEST = 16 };

// Is the line in the private cache, in the state that is wanted? The common case, and the only fast one.
static inline bool access_filter(struct cpu *cpu, const struct cpu_filter *table, uint64_t address, bool store)
{
    uint64_t number = address >> MACHINE_LINE_SHIFT;
    const struct cpu_filter *known = &table[number % CPU_FILTER];
    if (known->key != cpu_key(cpu, number))
        return false;
    uint64_t word = atomic_load_explicit(&cpu->private.words[known->slot], memory_order_relaxed);
    if (store ? word != private_word(known->line, PRIVATE_MODIFIED) : !private_holds(word, known->line))
        return false;
    cpu->private.used[known->slot] = ++cpu->private.clock;
    return true;
}

static void access_written(struct cpu *cpu, struct counters_access access, enum lab_outcome outcome, unsigned home)
{
    access.outcome = outcome;
    access.home = home;
    counters_request(cpu, LAB_WRITE_BACK, &access);
}

// The slot of the private cache for a line that is not there, emptied.
static int64_t access_make_room(struct cpu *cpu, uint64_t line, const struct counters_access *access)
{
    int64_t slot = private_victim(&cpu->private, line);
    uint64_t old = cpu->private.words[slot] / PRIVATE_STATES;
    if (shared_cache_evict(cpu, slot))
        access_written(cpu, *access, LAB_HIT, machine_home(old << MACHINE_LINE_SHIFT));
    return slot;
}

// Asks beyond the private cache for access->physical; fills in outcome and latency, and counts.
static void access_request(struct cpu *cpu, enum lab_class class, bool exclusive, int64_t slot, struct counters_access *access)
{
    struct shared_reply reply = shared_cache_request(cpu, access->physical >> MACHINE_LINE_SHIFT, exclusive, slot);
    access->outcome = reply.outcome;
    access->latency = machine_latency(cpu->node, reply.outcome, reply.from);
    counters_request(cpu, class, access);
    if (reply.written != MACHINE_NO_NODE)
        access_written(cpu, *access, LAB_MEMORY + machine_where(cpu->node, reply.written), reply.written);
}

static bool access_owned(struct cpu *cpu, int64_t slot, uint64_t line, bool store)
{
    uint64_t word = atomic_load_explicit(&cpu->private.words[slot], memory_order_relaxed);
    if (!store || word == private_word(line, PRIVATE_MODIFIED))
        return true;
    // Alone with it: it becomes modified without a word to anybody, unless another CPU comes first.
    return word == private_word(line, PRIVATE_EXCLUSIVE) &&
           atomic_compare_exchange_strong(&cpu->private.words[slot], &word, private_word(line, PRIVATE_MODIFIED));
}

// One line of an access. False: not memory.
static bool access_line(struct cpu *cpu, enum lab_class class, struct cpu_filter *table, struct counters_access *access)
{
    access->physical = cpu_translate(cpu, access->address);
    access->home = access->physical == QEMU_UNMAPPED ? MACHINE_NO_NODE : machine_home(access->physical);
    if (access->home == MACHINE_NO_NODE)
        return false;
    bool store = class == LAB_RFO;
    uint64_t line = access->physical >> MACHINE_LINE_SHIFT, number = access->address >> MACHINE_LINE_SHIFT;
    int64_t slot = private_find(&cpu->private, line);
    access->outcome = LAB_OWN;
    access->latency = machine_latency(cpu->node, LAB_OWN, cpu->node);
    if (slot < 0 || !access_owned(cpu, slot, line, store)) {
        if (slot < 0)
            slot = access_make_room(cpu, line, access);
        access_request(cpu, class, store, slot, access);
        cpu->stall += access->latency;
    }
    cpu->private.used[slot] = ++cpu->private.clock;
    table[number % CPU_FILTER] = (struct cpu_filter){.key = cpu_key(cpu, number), .line = line, .slot = slot};
    return true;
}

static void access_prefetch(struct cpu *cpu, const struct counters_access *cause, bool store)
{
    struct stream *stream = stream_train(&cpu->streams, cause->address >> MACHINE_LINE_SHIFT);
    uint64_t number;
    while (stream && stream_next(&cpu->streams, stream, &number)) {
        struct counters_access access = {.ip = cause->ip, .address = number << MACHINE_LINE_SHIFT};
        access.physical = cpu_translate(cpu, access.address);
        access.home = access.physical == QEMU_UNMAPPED ? MACHINE_NO_NODE : machine_home(access.physical);
        uint64_t line = access.physical >> MACHINE_LINE_SHIFT;
        if (access.home == MACHINE_NO_NODE || private_find(&cpu->private, line) >= 0)
            continue;
        int64_t slot = machine.prefetch.into_shared ? -1 : access_make_room(cpu, line, &access);
        access_request(cpu, store ? LAB_PREFETCH_RFO : LAB_PREFETCH_READ, store, slot, &access);
        if (slot >= 0)
            cpu->private.used[slot] = ++cpu->private.clock;
    }
}

// The slow way: `fresh` if the line was not lately used.
static __attribute__((noinline)) void access_data(struct cpu *cpu, uint64_t address, bool store, uint64_t ip,
                                                  uint64_t last, bool fresh)
{
    enum lab_class class = store ? LAB_RFO : LAB_READ;
    struct counters_access access = {.ip = ip, .address = address};
    if (!access_line(cpu, class, cpu->data, &access))
        return;
    if ((address ^ last) >> MACHINE_LINE_SHIFT) {
        struct counters_access second = {.ip = ip, .address = last & ~(uint64_t)(ACCESS_LINE - 1)};
        if (access_line(cpu, class, cpu->data, &second) && second.latency > access.latency)
            access = second;
    }
    if (store)
        counters_store(cpu, &access);
    else
        counters_load(cpu, &access);
    if (fresh && machine.prefetch.lines)
        access_prefetch(cpu, &access, store);
}

void access_memory(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *ip)
{
    struct cpu *cpu = &cpus[index];
    bool store = qemu_plugin_mem_is_store(info);
    uint64_t last = address;
    if ((address & (ACCESS_LINE - 1)) > ACCESS_LINE - ACCESS_LARGEST)
        last += (1u << qemu_plugin_mem_size_shift(info)) - 1;
    bool within = (address ^ last) >> MACHINE_LINE_SHIFT == 0;
    bool known = access_filter(cpu, cpu->data, address, store);
    bool watched = cpu->shared->watch & (store ? LAB_WATCH_STORES : LAB_WATCH_LOADS);
    if (__builtin_expect(known && within && !watched, 1))
        return;
    access_data(cpu, address, store, (uint64_t)ip, last, !known);
}

// address : 48 bits, lines : 7, instructions : 9. QEMU's blocks have at most 512 instructions; more lines than 127 are
// counted as 127.
void *access_pack(uint64_t address, size_t instructions, size_t bytes)
{
    size_t lines = ((address & (ACCESS_LINE - 1)) + bytes + ACCESS_LINE - 1) / ACCESS_LINE;
    if (lines > 127)
        lines = 127;
    if (instructions > 512)
        instructions = 512;
    return (void *)(address << 16 | lines << 9 | (instructions - 1));
}

static void access_fetch(struct cpu *cpu, uint64_t address, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++) {
        struct counters_access access = {.ip = address, .address = address + (uint64_t)i * ACCESS_LINE};
        if (!access_filter(cpu, cpu->code, access.address, false))
            access_line(cpu, LAB_FETCH, cpu->code, &access);
    }
}

void access_block(unsigned index, void *block)
{
    struct cpu *cpu = &cpus[index];
    uint64_t packed = (uint64_t)block, address = (uint64_t)((int64_t)packed >> 16);
    unsigned instructions = (packed & 511) + 1, lines = packed >> 9 & 127;
    uint64_t key = cpu_key(cpu, address >> MACHINE_LINE_SHIFT);
    if (key != cpu->fetched || lines > 1) {
        access_fetch(cpu, address, lines);
        cpu->fetched = lines > 1 ? 0 : key;
    }
    uint64_t cycles = instructions + cpu->stall;
    cpu->stall = 0;
    cpu->shared->instructions[counters_level(address)] += instructions;
    cpu->shared->cycles[counters_level(address)] += cycles;
    if (cpu->shared->watch & LAB_WATCH_BLOCKS)
        counters_block(cpu, address, instructions, cycles);
}
