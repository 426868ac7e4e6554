// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/line.h"

#include "lab/hardware/shared_cache.h"

static void line_know(struct cpu *cpu, struct cpu_filter *table, uint64_t number, uint64_t line, int64_t slot,
                      bool fresh)
{
    table[number % CPU_FILTER] = (struct cpu_filter){
        .key = cpu_key(cpu, number) | (fresh ? CPU_FRESH : 0),
        .slot = (uint32_t)slot,
        .modified = private_pack(line, PRIVATE_MODIFIED),
    };
}

static __attribute__((noinline)) void line_written(struct cpu *cpu, uint64_t ip, uint64_t line,
                                                   enum lab_outcome outcome)
{
    const struct counters_access access = {.ip = ip, .physical = line << MACHINE_LINE_SHIFT, .outcome = outcome};
    counters_request(cpu, LAB_WRITE_BACK, &access);
}

// Empties a slot of the private cache.
static void line_make_room(struct cpu *cpu, int64_t slot, uint64_t ip)
{
    uint64_t line = private_line(private_read(&cpu->private, slot));
    if (shared_cache_evict(cpu, slot))
        line_written(cpu, ip, line, LAB_HIT);
}

// Asks beyond the private cache for access->physical; fills in outcome and latency, and counts.
static void line_request(struct cpu *cpu, enum lab_class class, bool exclusive, int64_t slot,
                         struct counters_access *access)
{
    struct shared_reply reply = shared_cache_request(cpu, line_number(access->physical), exclusive, slot);
    access->outcome = reply.outcome;
    access->latency = machine_latency(cpu->node, reply.outcome, reply.from);
    counters_request(cpu, class, access);
    if (reply.written != SHARED_NOTHING)
        line_written(cpu, access->ip, reply.written,
                     machine_memory(cpu->node, machine_home(reply.written << MACHINE_LINE_SHIFT)));
}

static bool line_owned(struct cpu *cpu, int64_t slot, uint64_t line, bool store)
{
    private_word word = private_read(&cpu->private, slot);
    if (!store || word == private_pack(line, PRIVATE_MODIFIED))
        return true;
    // Alone with it: it becomes modified without a word to anybody, unless another CPU comes first.
    return word == private_pack(line, PRIVATE_EXCLUSIVE) &&
           atomic_compare_exchange_strong(&cpu->private.cells[slot], &word, private_pack(line, PRIVATE_MODIFIED));
}

// Finds where access->address is. False: not in memory.
static bool line_locate(struct cpu *cpu, struct counters_access *access)
{
    access->physical = cpu_translate(cpu, access->address);
    return access->physical != QEMU_UNMAPPED && machine_home(access->physical) != MACHINE_NO_NODE;
}

bool line_use(struct cpu *cpu, enum lab_class class, struct cpu_filter *table, struct counters_access *access)
{
    if (!line_locate(cpu, access))
        return false;
    bool store = class == LAB_RFO;
    uint64_t line = line_number(access->physical);
    int64_t slot = private_find(&cpu->private, line);
    access->outcome = LAB_OWN;
    access->latency = LAB_LATENCY_OWN;
    if (slot < 0 || !line_owned(cpu, slot, line, store)) {
        if (slot < 0) {
            slot = private_victim(&cpu->private, line);
            line_make_room(cpu, slot, access->ip);
        }
        line_request(cpu, class, store, slot, access);
        cpu->stall += access->latency;
    }
    private_tick(&cpu->private);
    private_touch(&cpu->private, slot);
    line_know(cpu, table, line_number(access->address), line, slot, false);
    return true;
}

static void line_prefetch(struct cpu *cpu, struct counters_access *access, bool store, int direction)
{
    uint64_t line = line_number(access->physical);
    if (private_find(&cpu->private, line) >= 0)
        return;
    shared_cache_expect(cpu, line + 2 * (uint64_t)(int64_t)direction);
    int64_t slot = -1;
    if (!machine.prefetch.into_shared) {
        slot = private_victim(&cpu->private, line);
        line_make_room(cpu, slot, access->ip);
    }
    line_request(cpu, store ? LAB_PREFETCH_RFO : LAB_PREFETCH_READ, store, slot, access);
    if (slot < 0)
        return;
    private_touch(&cpu->private, slot);
    line_know(cpu, cpu->data, line_number(access->address), line, slot, true);
}

void line_follow(struct cpu *cpu, uint64_t ip, uint64_t number, uint64_t line, bool store)
{
    struct stream *stream = stream_train(&cpu->streams, number);
    for (unsigned rest = stream ? stream_ahead(stream) : 0; rest; rest--) {
        if (!stream_next(&cpu->streams, stream))
            continue;
        struct counters_access access = {
            .ip = ip,
            .address = stream->ahead << MACHINE_LINE_SHIFT,
            .physical = (line + (stream->ahead - number)) << MACHINE_LINE_SHIFT,
        };
        if (machine_same_page(number, stream->ahead) || line_locate(cpu, &access))
            line_prefetch(cpu, &access, store, stream->direction);
    }
}
