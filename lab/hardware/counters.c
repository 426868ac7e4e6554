// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/counters.h"

#include "lab/hardware/cpu.h"
#include "lab/hardware/qemu.h"
#include "lab/hardware/truth.h"

static bool counters_wants(const struct lab_slot *slot, enum lab_unit unit, unsigned level)
{
    return slot->unit == unit && (slot->levels >> level & 1);
}

// The slots that count at this moment.
static uint32_t counters_active(const struct cpu *cpu)
{
    return cpu->shared->running ? cpu->shared->active : 0;
}

static __attribute__((noinline)) void counters_record(struct cpu *cpu, unsigned index,
                                                      const struct counters_access *access, int what)
{
    struct lab_cpu *shared = cpu->shared;
    struct lab_slot *slot = &shared->slots[index];
    uint64_t held = shared->head - shared->tail;
    if (held >= LAB_RECORDS) {
        slot->lost++;
        return;
    }
    shared->records[shared->head++ % LAB_RECORDS] = (struct lab_record){
        .ip = access->ip,
        .address = access->address,
        .physical = access->physical,
        .latency = access->latency,
        .slot = (uint8_t)index,
        .outcome = (uint8_t)access->outcome,
        .home = (uint8_t)machine_home(access->physical),
        .store = (uint8_t)what,
    };
    if ((slot->urgent || held + 1 >= LAB_RECORDS_URGENT) && !shared->interrupt) {
        shared->interrupt = 1;
        qemu_interrupt(cpu->index);
    }
}

// Returns 0, or which of these events used up a period, from 1.
static uint64_t counters_use(struct lab_slot *slot, uint64_t number)
{
    slot->count += number;
    if (slot->period == 0)
        return 0;
    int64_t before = slot->left;
    slot->left -= (int64_t)number;
    if (slot->left > 0)
        return 0;
    // More than one period may be used up at once, by instructions and cycles: still one sample, as in hardware.
    slot->left += (int64_t)(((uint64_t)-slot->left / slot->period + 1) * slot->period);
    return before > 0 ? (uint64_t)before : 1;
}

static inline void counters_add(struct cpu *cpu, unsigned index, const struct counters_access *access)
{
    struct lab_slot *slot = &cpu->shared->slots[index];
    if (counters_use(slot, 1 + slot->extra))
        counters_record(cpu, index, access, slot->unit == LAB_UNIT_STORES ? LAB_RECORD_STORE : LAB_RECORD_LOAD);
}

// `used`: which event used up the period. `waited`: cycles before the first instruction, which then is the one tagged.
static __attribute__((noinline)) void counters_tag(struct cpu *cpu, unsigned index, uint64_t ip, uint64_t used,
                                                   uint64_t waited)
{
    unsigned place = used > waited ? (unsigned)(used - waited - 1) : 0;
    cpu_arm(cpu, (struct cpu_tag){.armed = true, .place = place, .slot = index, .ip = ip});
}

void counters_tagged(struct cpu *cpu, const struct counters_access *access, int what)
{
    cpu->tag.armed = false;
    if (counters_active(cpu) >> cpu->tag.slot & 1) // unless the driver has stopped it meanwhile
        counters_record(cpu, cpu->tag.slot, access, what);
}

#define FOR_EACH_SLOT(cpu, i) \
    for (uint32_t rest = counters_active(cpu), i; rest && (i = (uint32_t)__builtin_ctz(rest), 1); rest &= rest - 1)

void counters_request(struct cpu *cpu, enum lab_class class, const struct counters_access *access)
{
    unsigned level = counters_level(access->ip);
    cpu->shared->requests[level][class][access->outcome]++;
    if (cpu->truth && level == LAB_USER)
        truth_count(cpu, class, access);
    FOR_EACH_SLOT(cpu, i)
    {
        const struct lab_slot *slot = &cpu->shared->slots[i];
        if (counters_wants(slot, LAB_UNIT_REQUESTS, level) && (slot->classes >> class & 1) &&
            (slot->outcomes >> access->outcome & 1))
            counters_add(cpu, i, access);
    }
}

void counters_load(struct cpu *cpu, const struct counters_access *access)
{
    unsigned level = counters_level(access->ip);
    FOR_EACH_SLOT(cpu, i)
    {
        const struct lab_slot *slot = &cpu->shared->slots[i];
        if ((counters_wants(slot, LAB_UNIT_LOADS, level) && (slot->outcomes >> access->outcome & 1)) ||
            (counters_wants(slot, LAB_UNIT_SLOW_LOADS, level) && access->latency >= slot->threshold))
            counters_add(cpu, i, access);
    }
}

void counters_store(struct cpu *cpu, const struct counters_access *access)
{
    unsigned level = counters_level(access->ip);
    FOR_EACH_SLOT(cpu, i)
    {
        if (counters_wants(&cpu->shared->slots[i], LAB_UNIT_STORES, level))
            counters_add(cpu, i, access);
    }
}

// The slot counts the instructions of blocks, or their cycles.
static void counters_use_block(struct cpu *cpu, unsigned index, uint64_t ip, unsigned instructions, uint64_t waited)
{
    struct lab_slot *slot = &cpu->shared->slots[index];
    if (slot->unit == LAB_UNIT_INSTRUCTIONS || slot->unit == LAB_UNIT_TAG_INSTRUCTIONS)
        waited = 0;
    uint64_t used = counters_use(slot, waited + instructions);
    if (!used)
        return;
    if (slot->unit >= LAB_UNIT_TAG_INSTRUCTIONS)
        counters_tag(cpu, index, ip, used, waited);
    else
        counters_record(cpu, index, &(struct counters_access){.ip = ip}, LAB_RECORD_LOAD);
}

void counters_block(struct cpu *cpu, uint64_t ip, unsigned instructions, uint64_t waited)
{
    unsigned level = counters_level(ip);
    FOR_EACH_SLOT(cpu, i)
    {
        const struct lab_slot *slot = &cpu->shared->slots[i];
        if (slot->unit >= LAB_UNIT_INSTRUCTIONS && (slot->levels >> level & 1))
            counters_use_block(cpu, i, ip, instructions, waited);
    }
}
