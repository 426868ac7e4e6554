// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/access.h"

#include "lab/hardware/line.h"

#define RARELY(condition) __builtin_expect(!!(condition), 0)

// Words of one line differ by less than this if the state is good enough to read, to write.
static unsigned access_differs(bool store)
{
    return store ? 1 : PRIVATE_MODIFIED;
}

// The known line is in the private cache, in the state that is wanted; an invalid word differs by more than any state.
static inline bool access_held(struct cpu *cpu, const struct cpu_filter *known, unsigned differs)
{
    uint32_t slot = known->slot;
    if ((private_read(&cpu->private, slot) ^ known->modified) >= differs)
        return false;
    private_touch(&cpu->private, slot);
    return true;
}

static bool access_watched(const struct cpu *cpu, bool store)
{
    return cpu->tag.armed || (cpu->watch & (store ? LAB_WATCH_STORES : LAB_WATCH_LOADS));
}

static __attribute__((noinline)) void access_count(struct cpu *cpu, const struct counters_access *access, bool store)
{
    if (cpu->tag.armed && cpu->tag.place == cpu->place)
        counters_tagged(cpu, access, store ? LAB_RECORD_STORE : LAB_RECORD_LOAD);
    if (store)
        counters_store(cpu, access);
    else
        counters_load(cpu, access);
}

// Whether the access, which is within one line, is the first use of a prefetched one. From then on it is not.
static inline bool access_fresh(struct cpu *cpu, uint64_t address, bool store)
{
    uint64_t number = line_number(address);
    struct cpu_filter *known = &cpu->data[number % CPU_FILTER];
    if (known->key != (cpu_key(cpu, number) | CPU_FRESH) || !access_held(cpu, known, access_differs(store)))
        return false;
    known->key ^= CPU_FRESH;
    private_tick(&cpu->private);
    return true;
}

// The physical line of an access that the filter knows.
static uint64_t access_known(const struct cpu *cpu, uint64_t address)
{
    return private_line(cpu->data[line_number(address) % CPU_FILTER].modified);
}

static __attribute__((noinline)) void access_data(struct cpu *cpu, uint64_t address, uint64_t last, bool store,
                                                  uint64_t ip)
{
    enum lab_class class = store ? LAB_RFO : LAB_READ;
    struct counters_access access = {.ip = ip, .address = address};
    const struct cpu_filter *known = &cpu->data[line_number(address) % CPU_FILTER];
    bool lately = known->key == cpu_key(cpu, line_number(address));
    if (!line_use(cpu, class, cpu->data, &access))
        return;
    if (line_number(address) != line_number(last)) {
        struct counters_access second = {.ip = ip, .address = last & ~(uint64_t)(LINE_BYTES - 1)};
        if (line_use(cpu, class, cpu->data, &second) && second.latency > access.latency)
            access = second;
    }
    access_count(cpu, &access, store);
    if (!lately && machine.prefetch.lines)
        line_follow(cpu, ip, line_number(access.address), line_number(access.physical), store);
}

static __attribute__((noinline)) void access_fetch(struct cpu *cpu, uint64_t address, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++) {
        struct counters_access access = {.ip = address, .address = address + (uint64_t)i * LINE_BYTES};
        uint64_t number = line_number(access.address);
        const struct cpu_filter *known = &cpu->code[number % CPU_FILTER];
        if (known->key != cpu_key(cpu, number) || !access_held(cpu, known, access_differs(false)))
            line_use(cpu, LAB_FETCH, cpu->code, &access);
        cpu->fetched = number;
    }
}

// address : 48 bits, number in the block : 9, leads : 1. QEMU's blocks have at most 512 instructions.
void *access_instruction(uint64_t address, size_t number, bool leads)
{
    return (void *)(address << 10 | (number & 511) << 1 | leads);
}

static uint64_t access_ip(const void *instruction)
{
    return (uint64_t)((int64_t)instruction >> 10);
}

static unsigned access_place(const void *instruction)
{
    return (uintptr_t)instruction >> 1 & 511;
}

// Does the instruction's own line have to be fetched?
static inline bool access_fetches(const struct cpu *cpu, const void *instruction)
{
    return ((uint64_t)instruction & 1) && line_number(access_ip(instruction)) != cpu->fetched;
}

static struct cpu_kind *access_kind(struct cpu *cpu, qemu_plugin_meminfo_t info)
{
    // Spreads size and direction in today's layout; in another one it is merely a worse spread.
    return &cpu->kinds[(info >> 4 ^ info >> 12) % CPU_KINDS];
}

static __attribute__((noinline)) void access_slow(struct cpu *cpu, qemu_plugin_meminfo_t info, uint64_t address,
                                                  void *instruction)
{
    uint64_t ip = access_ip(instruction), last = address + (1u << qemu_plugin_mem_size_shift(info)) - 1;
    bool store = qemu_plugin_mem_is_store(info);
    cpu->place = access_place(instruction);
    if (!access_watched(cpu, store))
        *access_kind(cpu, info) = (struct cpu_kind){
            .info = info,
            .limit = (uint8_t)(LINE_BYTES - (last - address) - 1),
            .differs = (uint8_t)access_differs(store),
        };
    if (access_fetches(cpu, instruction))
        access_fetch(cpu, ip, 1);
    if (line_number(address) != line_number(last) || !access_fresh(cpu, address, store)) {
        access_data(cpu, address, last, store, ip);
        return;
    }
    uint64_t line = access_known(cpu, address);
    const struct counters_access access = {.ip = ip,
                                           .address = address,
                                           .physical = line << MACHINE_LINE_SHIFT | (address & (LINE_BYTES - 1)),
                                           .outcome = LAB_OWN,
                                           .latency = LAB_LATENCY_OWN};
    access_count(cpu, &access, store);
    line_follow(cpu, ip, line_number(address), line, store);
}

// Of a known kind, within one line, by an instruction whose own line is there; watched by nobody.
static __attribute__((noinline)) void access_other_line(struct cpu *cpu, qemu_plugin_meminfo_t info, uint64_t address,
                                                        const void *instruction)
{
    bool store = access_kind(cpu, info)->differs == access_differs(true);
    uint64_t ip = access_ip(instruction);
    if (access_fresh(cpu, address, store))
        line_follow(cpu, ip, line_number(address), access_known(cpu, address), store);
    else
        access_data(cpu, address, address, store, ip);
}

void access_memory(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *instruction)
{
    struct cpu *cpu = cpus[index];
    const struct cpu_kind *kind = access_kind(cpu, info);
    uint64_t number = line_number(address);
    const struct cpu_filter *known = &cpu->data[number % CPU_FILTER];
    if (RARELY(kind->info != info || (address & (LINE_BYTES - 1)) > kind->limit || access_fetches(cpu, instruction)))
        access_slow(cpu, info, address, instruction);
    else if (RARELY(known->key != cpu_key(cpu, number) || !access_held(cpu, known, kind->differs)))
        access_other_line(cpu, info, address, instruction);
}

// address : 48 bits, lines : 7, instructions : 9. QEMU's blocks have at most 512 instructions; more lines than 127 are
// counted as 127.
void *access_pack(uint64_t address, size_t instructions, size_t bytes)
{
    size_t lines = ((address & (LINE_BYTES - 1)) + bytes + LINE_BYTES - 1) / LINE_BYTES;
    if (lines > 127)
        lines = 127;
    if (instructions > 512)
        instructions = 512;
    return (void *)(address << 16 | lines << 9 | (instructions - 1));
}

void access_block(unsigned index, void *block)
{
    struct cpu *cpu = cpus[index];
    uint64_t packed = (uint64_t)block, address = (uint64_t)((int64_t)packed >> 16);
    unsigned instructions = (packed & 511) + 1, lines = packed >> 9 & 127;
    if (RARELY(lines > 1 || line_number(address) != cpu->fetched))
        access_fetch(cpu, address, lines);
    uint64_t waited = cpu->stall;
    cpu->stall = 0;
    if (RARELY(cpu->tag.armed)) // and the block is over
        counters_tagged(cpu, &(struct counters_access){.ip = cpu->tag.ip}, LAB_RECORD_NEITHER);
    if (cpu->watch & LAB_WATCH_BLOCKS)
        counters_block(cpu, address, instructions, waited);
}
