// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/shared_cache.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lab/hardware/cpu.h"

// A set bit 63 tells a line's tag from an empty way.
static const uint64_t shared_valid = 1ull << 63;

struct shared_way {
    uint64_t holders; // CPUs whose private caches may hold the line: an unmodified one leaves them unannounced
    uint64_t used;
    bool dirty; // newer than memory
    bool alone; // no other node has it
};

struct shared_set {
    atomic_flag lock;
    uint64_t clock;
};

static struct {
    struct shared_set *sets;
    uint64_t *tags[LAB_NODES]; // sets x ways
    struct shared_way *ways[LAB_NODES];
} caches;

int shared_cache_init(void)
{
    size_t count = machine.shared.sets * machine.shared.ways;
    caches.sets = calloc(machine.shared.sets, sizeof *caches.sets);
    for (unsigned node = 0; node < machine.nodes; node++) {
        caches.tags[node] = calloc(count, sizeof *caches.tags[node]);
        caches.ways[node] = calloc(count, sizeof *caches.ways[node]);
        if (!caches.sets || !caches.tags[node] || !caches.ways[node])
            return -ENOMEM;
    }
    return 0;
}

void shared_cache_clear(void)
{
    size_t count = machine.shared.sets * machine.shared.ways;
    for (unsigned node = 0; node < machine.nodes; node++)
        memset(caches.tags[node], 0, count * sizeof *caches.tags[node]);
}

static uint64_t shared_set_of(uint64_t line)
{
    return line & (machine.shared.sets - 1);
}

static void shared_lock(uint64_t set)
{
    enum { SPINS = 100 }; // the holder may have lost its host CPU
    for (unsigned spins = 0; atomic_flag_test_and_set_explicit(&caches.sets[set].lock, memory_order_acquire); spins++)
        if (spins % SPINS == SPINS - 1)
            sched_yield();
}

static void shared_unlock(uint64_t set)
{
    atomic_flag_clear_explicit(&caches.sets[set].lock, memory_order_release);
}

// The index of the line's way in the node's cache, or -1.
static int64_t shared_find(unsigned node, uint64_t line)
{
    uint64_t first = shared_set_of(line) * machine.shared.ways;
    for (uint64_t way = first; way < first + machine.shared.ways; way++)
        if (caches.tags[node][way] == (line | shared_valid))
            return (int64_t)way;
    return -1;
}

// Lowers the line in the private caches of these CPUs. Returns the highest state found.
static enum private_state shared_lower(uint64_t holders, uint64_t line, enum private_state most)
{
    enum private_state highest = PRIVATE_INVALID;
    for (; holders; holders &= holders - 1) {
        enum private_state state = private_lower(&cpus[__builtin_ctzll(holders)].private, line, most);
        if (state > highest)
            highest = state;
    }
    return highest;
}

// Another CPU of the node wants the line: takes it from the CPU that may have it alone.
static enum lab_outcome shared_hit(struct shared_way *way, uint64_t line, uint64_t others, bool exclusive)
{
    bool one = others && !(others & (others - 1));
    if (!exclusive && !one)
        return LAB_HIT; // none can have it alone
    enum private_state state = shared_lower(others, line, exclusive ? PRIVATE_INVALID : PRIVATE_SHARED);
    if (exclusive || state == PRIVATE_INVALID)
        way->holders &= ~others;
    if (state == PRIVATE_MODIFIED)
        way->dirty = true;
    if (!one || state < PRIVATE_EXCLUSIVE)
        return LAB_HIT;
    return state == PRIVATE_MODIFIED ? LAB_HIT_MODIFIED : LAB_HIT_CLEAN;
}

static void shared_drop(unsigned node, int64_t way)
{
    caches.tags[node][way] = 0;
}

struct shared_others {
    bool found, dirty;
    unsigned from;
};

// Looks for the line in the other nodes' caches; they keep it, shared, or lose it if it is wanted exclusively.
static struct shared_others shared_snoop(unsigned node, uint64_t line, bool exclusive)
{
    struct shared_others others = {0};
    for (unsigned other = 0; other < machine.nodes; other++) {
        int64_t index = other == node ? -1 : shared_find(other, line);
        if (index < 0)
            continue;
        struct shared_way *way = &caches.ways[other][index];
        enum private_state state = PRIVATE_INVALID;
        if (exclusive || way->alone)
            state = shared_lower(way->holders, line, exclusive ? PRIVATE_INVALID : PRIVATE_SHARED);
        bool dirty = way->dirty || state == PRIVATE_MODIFIED;
        bool nearer = machine.distance[node][other] < machine.distance[node][others.from];
        if (!others.found || (dirty && !others.dirty) || (dirty == others.dirty && nearer))
            others.from = other;
        others.found = true;
        others.dirty |= dirty;
        way->alone = way->dirty = false;
        if (exclusive)
            shared_drop(other, index);
    }
    return others;
}

// Frees a way of the line's set. Returns the home of the line that was there if it must be written, else no node.
static unsigned shared_make_room(unsigned node, uint64_t line, int64_t *index)
{
    uint64_t first = shared_set_of(line) * machine.shared.ways, oldest = first;
    for (uint64_t way = first; way < first + machine.shared.ways; way++) {
        if (!caches.tags[node][way]) {
            *index = (int64_t)way;
            return MACHINE_NO_NODE;
        }
        if (caches.ways[node][way].used < caches.ways[node][oldest].used)
            oldest = way;
    }
    uint64_t old = caches.tags[node][oldest] & ~shared_valid;
    struct shared_way *way = &caches.ways[node][oldest];
    bool dirty = shared_lower(way->holders, old, PRIVATE_INVALID) == PRIVATE_MODIFIED || way->dirty;
    *index = (int64_t)oldest;
    return dirty ? machine_home(old << MACHINE_LINE_SHIFT) : MACHINE_NO_NODE;
}

static enum lab_outcome shared_outcome(unsigned node, uint64_t line, const struct shared_others *others)
{
    enum lab_where home = machine_where(node, machine_home(line << MACHINE_LINE_SHIFT));
    if (!others->found)
        return LAB_MEMORY + home;
    bool far = machine_where(node, others->from) == LAB_FAR;
    return (others->dirty ? LAB_DIRTY : LAB_CACHE) + (far ? LAB_WHERES : 0) + home;
}

static struct shared_reply shared_miss(const struct cpu *cpu, uint64_t line, bool exclusive, int64_t *index)
{
    struct shared_reply reply = {0};
    struct shared_others others = shared_snoop(cpu->node, line, exclusive);
    unsigned home = machine_home(line << MACHINE_LINE_SHIFT);
    reply.from = others.found ? others.from : home;
    reply.outcome = shared_outcome(cpu->node, line, &others);
    reply.written = shared_make_room(cpu->node, line, index);
    caches.tags[cpu->node][*index] = line | shared_valid;
    // A modified line that is only read is written to memory on the way; one that is taken over stays dirty.
    caches.ways[cpu->node][*index] =
        (struct shared_way){.alone = exclusive || !others.found, .dirty = exclusive && others.dirty};
    return reply;
}

struct shared_reply shared_cache_request(struct cpu *cpu, uint64_t line, bool exclusive, int64_t slot)
{
    uint64_t set = shared_set_of(line), self = 1ull << cpu->index;
    shared_lock(set);
    struct shared_reply reply = {.from = cpu->node, .written = MACHINE_NO_NODE};
    int64_t index = shared_find(cpu->node, line);
    if (index >= 0) {
        struct shared_way *way = &caches.ways[cpu->node][index];
        reply.outcome = shared_hit(way, line, way->holders & ~self, exclusive);
        if (exclusive && !way->alone) {
            way->dirty |= shared_snoop(cpu->node, line, true).dirty;
            way->alone = true;
        }
    } else {
        reply = shared_miss(cpu, line, exclusive, &index);
    }
    struct shared_way *way = &caches.ways[cpu->node][index];
    way->used = ++caches.sets[set].clock;
    if (slot >= 0) {
        bool alone = way->alone && !(way->holders & ~self);
        enum private_state state = exclusive ? PRIVATE_MODIFIED : alone ? PRIVATE_EXCLUSIVE : PRIVATE_SHARED;
        way->holders |= self;
        atomic_store_explicit(&cpu->private.words[slot], private_word(line, state), memory_order_relaxed);
    }
    shared_unlock(set);
    return reply;
}

bool shared_cache_evict(struct cpu *cpu, int64_t slot)
{
    uint64_t word = atomic_load_explicit(&cpu->private.words[slot], memory_order_relaxed);
    if (word % PRIVATE_STATES != PRIVATE_MODIFIED) {
        atomic_store_explicit(&cpu->private.words[slot], 0, memory_order_relaxed);
        return false;
    }
    uint64_t line = word / PRIVATE_STATES, set = shared_set_of(line);
    shared_lock(set);
    word = atomic_load_explicit(&cpu->private.words[slot], memory_order_relaxed);
    bool modified = word == private_word(line, PRIVATE_MODIFIED);
    if (modified) {
        struct shared_way *way = &caches.ways[cpu->node][shared_find(cpu->node, line)];
        way->dirty = true;
        way->holders &= ~(1ull << cpu->index);
    }
    atomic_store_explicit(&cpu->private.words[slot], 0, memory_order_relaxed);
    shared_unlock(set);
    return modified;
}
