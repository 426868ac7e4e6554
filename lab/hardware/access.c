// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/access.h"

#include "lab/hardware/counters.h"
#include "lab/hardware/cpu.h"
#include "lab/hardware/shared_cache.h"

enum { ACCESS_LINE = 1 << MACHINE_LINE_SHIFT };

#define RARELY(condition) __builtin_expect(!!(condition), 0)

static uint64_t access_number(uint64_t address)
{
    return address >> MACHINE_LINE_SHIFT;
}

static uint64_t access_same_page(uint64_t a, uint64_t b)
{
    return (a ^ b) >> (MACHINE_PAGE_SHIFT - MACHINE_LINE_SHIFT) == 0;
}

// Words of one line differ by less than this if the state is good enough to read, to write.
static unsigned access_differs(bool store)
{
    return store ? 1 : PRIVATE_MODIFIED;
}

// The known line is in the private cache, in the state that is wanted; an invalid word differs by more than any state.
static inline bool access_held(struct cpu *cpu, const struct cpu_filter *known, unsigned differs)
{
    if ((private_read(&cpu->private, known->slot) ^ known->modified) >= differs)
        return false;
    private_touch(&cpu->private, known->slot);
    return true;
}

static void access_know(struct cpu *cpu, struct cpu_filter *table, uint64_t number, uint64_t line, int64_t slot, bool fresh)
{
    table[number % CPU_FILTER] = (struct cpu_filter){
        .key = cpu_key(cpu, number) | (fresh ? CPU_FRESH : 0),
        .slot = (uint32_t)slot,
        .modified = private_pack(line, PRIVATE_MODIFIED),
    };
}

static __attribute__((noinline)) void access_written(struct cpu *cpu, uint64_t ip, uint64_t line, enum lab_outcome outcome)
{
    const struct counters_access access = {.ip = ip, .physical = line << MACHINE_LINE_SHIFT, .outcome = outcome};
    counters_request(cpu, LAB_WRITE_BACK, &access);
}

// Empties a slot of the private cache.
static void access_make_room(struct cpu *cpu, int64_t slot, uint64_t ip)
{
    uint64_t line = private_line(private_read(&cpu->private, slot));
    if (shared_cache_evict(cpu, slot))
        access_written(cpu, ip, line, LAB_HIT);
}

// Asks beyond the private cache for access->physical; fills in outcome and latency, and counts.
static void access_request(struct cpu *cpu, enum lab_class class, bool exclusive, int64_t slot, struct counters_access *access)
{
    struct shared_reply reply = shared_cache_request(cpu, access_number(access->physical), exclusive, slot);
    access->outcome = reply.outcome;
    access->latency = machine_latency(cpu->node, reply.outcome, reply.from);
    counters_request(cpu, class, access);
    if (reply.written != SHARED_NOTHING)
        access_written(cpu, access->ip, reply.written,
                       LAB_MEMORY + machine_where(cpu->node, machine_home(reply.written << MACHINE_LINE_SHIFT)));
}

static bool access_owned(struct cpu *cpu, int64_t slot, uint64_t line, bool store)
{
    private_word word = private_read(&cpu->private, slot);
    if (!store || word == private_pack(line, PRIVATE_MODIFIED))
        return true;
    // Alone with it: it becomes modified without a word to anybody, unless another CPU comes first.
    return word == private_pack(line, PRIVATE_EXCLUSIVE) &&
           atomic_compare_exchange_strong(&cpu->private.cells[slot], &word, private_pack(line, PRIVATE_MODIFIED));
}

// Finds where access->address is. False: not in memory.
static bool access_locate(struct cpu *cpu, struct counters_access *access)
{
    access->physical = cpu_translate(cpu, access->address);
    return access->physical != QEMU_UNMAPPED && machine_home(access->physical) != MACHINE_NO_NODE;
}

// One line of an access. False: not in memory.
static __attribute__((noinline)) bool access_line(struct cpu *cpu, enum lab_class class, struct cpu_filter *table, struct counters_access *access)
{
    if (!access_locate(cpu, access))
        return false;
    bool store = class == LAB_RFO;
    uint64_t line = access_number(access->physical);
    int64_t slot = private_find(&cpu->private, line);
    access->outcome = LAB_OWN;
    access->latency = LAB_LATENCY_OWN;
    if (slot < 0 || !access_owned(cpu, slot, line, store)) {
        if (slot < 0) {
            slot = private_victim(&cpu->private, line);
            access_make_room(cpu, slot, access->ip);
        }
        access_request(cpu, class, store, slot, access);
        cpu->stall += access->latency;
    }
    private_tick(&cpu->private);
    private_touch(&cpu->private, slot);
    access_know(cpu, table, access_number(access->address), line, slot, false);
    return true;
}

static void access_prefetch_line(struct cpu *cpu, struct counters_access *access, bool store, int direction)
{
    uint64_t line = access_number(access->physical);
    if (private_find(&cpu->private, line) >= 0)
        return;
    shared_cache_expect(cpu, line + 2 * (uint64_t)(int64_t)direction);
    int64_t slot = -1;
    if (!machine.prefetch.into_shared) {
        slot = private_victim(&cpu->private, line);
        access_make_room(cpu, slot, access->ip);
    }
    access_request(cpu, store ? LAB_PREFETCH_RFO : LAB_PREFETCH_READ, store, slot, access);
    if (slot < 0)
        return;
    private_touch(&cpu->private, slot);
    access_know(cpu, cpu->data, access_number(access->address), line, slot, true);
}

// A line was used that had not been lately.
static void access_prefetch(struct cpu *cpu, uint64_t ip, uint64_t address, uint64_t physical, bool store)
{
    uint64_t from = access_number(address);
    struct stream *stream = stream_train(&cpu->streams, from);
    for (unsigned rest = stream ? stream_ahead(stream) : 0; rest; rest--) {
        if (!stream_next(&cpu->streams, stream))
            continue;
        uint64_t number = stream->ahead;
        struct counters_access access = {.ip = ip, .address = number << MACHINE_LINE_SHIFT};
        access.physical = (access_number(physical) + (number - from)) << MACHINE_LINE_SHIFT;
        if (access_same_page(from, number) || access_locate(cpu, &access))
            access_prefetch_line(cpu, &access, store, stream->direction);
    }
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

// An access within one line. True if it is the first use of a prefetched line, and has been done.
static inline bool access_fresh(struct cpu *cpu, uint64_t address, bool store, uint64_t ip)
{
    uint64_t number = access_number(address);
    struct cpu_filter *known = &cpu->data[number % CPU_FILTER];
    if (known->key != (cpu_key(cpu, number) | CPU_FRESH) || !access_held(cpu, known, access_differs(store)))
        return false;
    known->key ^= CPU_FRESH;
    private_tick(&cpu->private);
    uint64_t physical = private_line(known->modified) << MACHINE_LINE_SHIFT | (address & (ACCESS_LINE - 1));
    if (access_watched(cpu, store)) {
        const struct counters_access access = {
            .ip = ip, .address = address, .physical = physical, .outcome = LAB_OWN, .latency = LAB_LATENCY_OWN};
        access_count(cpu, &access, store);
    }
    access_prefetch(cpu, ip, address, physical, store);
    return true;
}

static __attribute__((noinline)) void access_data(struct cpu *cpu, uint64_t address, uint64_t last, bool store, uint64_t ip)
{
    enum lab_class class = store ? LAB_RFO : LAB_READ;
    struct counters_access access = {.ip = ip, .address = address};
    const struct cpu_filter *known = &cpu->data[access_number(address) % CPU_FILTER];
    bool lately = known->key == cpu_key(cpu, access_number(address));
    if (!access_line(cpu, class, cpu->data, &access))
        return;
    if (access_number(address) != access_number(last)) {
        struct counters_access second = {.ip = ip, .address = last & ~(uint64_t)(ACCESS_LINE - 1)};
        if (access_line(cpu, class, cpu->data, &second) && second.latency > access.latency)
            access = second;
    }
    access_count(cpu, &access, store);
    if (!lately && machine.prefetch.lines)
        access_prefetch(cpu, ip, access.address, access.physical, store);
}

static __attribute__((noinline)) void access_fetch(struct cpu *cpu, uint64_t address, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++) {
        struct counters_access access = {.ip = address, .address = address + (uint64_t)i * ACCESS_LINE};
        uint64_t number = access_number(access.address);
        const struct cpu_filter *known = &cpu->code[number % CPU_FILTER];
        if (known->key != cpu_key(cpu, number) || !access_held(cpu, known, access_differs(false)))
            access_line(cpu, LAB_FETCH, cpu->code, &access);
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
            .info = info, .limit = (uint8_t)(ACCESS_LINE - (last - address) - 1), .differs = (uint8_t)access_differs(store)};
    if (((uint64_t)instruction & 1) && access_number(ip) != cpu->fetched)
        access_fetch(cpu, ip, 1);
    if (access_number(address) != access_number(last) || !access_fresh(cpu, address, store, ip))
        access_data(cpu, address, last, store, ip);
}

// Of a known kind, within one line, by an instruction whose own line is there; watched by nobody.
static __attribute__((noinline)) void access_other_line(struct cpu *cpu, const struct cpu_kind *kind, uint64_t address,
                                                        const void *instruction)
{
    bool store = kind->differs == access_differs(true);
    uint64_t ip = access_ip(instruction);
    if (!access_fresh(cpu, address, store, ip))
        access_data(cpu, address, address, store, ip);
}

// Does the instruction's own line have to be fetched?
static inline bool access_fetches(const struct cpu *cpu, const void *instruction)
{
    return ((uint64_t)instruction & 1) && access_number(access_ip(instruction)) != cpu->fetched;
}

void access_memory(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *instruction)
{
    struct cpu *cpu = cpus[index];
    const struct cpu_kind *kind = access_kind(cpu, info);
    uint64_t number = access_number(address);
    const struct cpu_filter *known = &cpu->data[number % CPU_FILTER];
    if (RARELY(kind->info != info || (address & (ACCESS_LINE - 1)) > kind->limit || access_fetches(cpu, instruction)))
        access_slow(cpu, info, address, instruction);
    else if (RARELY(known->key != cpu_key(cpu, number) || !access_held(cpu, known, kind->differs)))
        access_other_line(cpu, kind, address, instruction);
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

void access_block(unsigned index, void *block)
{
    struct cpu *cpu = cpus[index];
    uint64_t packed = (uint64_t)block, address = (uint64_t)((int64_t)packed >> 16);
    unsigned instructions = (packed & 511) + 1, lines = packed >> 9 & 127;
    if (lines > 1 || access_number(address) != cpu->fetched)
        access_fetch(cpu, address, lines);
    uint64_t cycles = instructions + cpu->stall;
    cpu->stall = 0;
    if (cpu->tag.armed) // and the block is over
        counters_tagged(cpu, &(struct counters_access){.ip = cpu->tag.ip}, LAB_RECORD_NEITHER);
    if (cpu->watch & LAB_WATCH_BLOCKS)
        counters_block(cpu, address, instructions, cycles);
}
