// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/shared_cache.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lab/hardware/cpu.h"
#include "lab/hardware/wide.h"

// One set of one node: two cache lines of the host, since the emulation's speed depends on it.
struct shared_set {
    uint32_t tags[MACHINE_SHARED_WAYS]; // line + 1; 0: empty
    // CPUs whose private caches may hold the line, a bit by their rank in the node: an unmodified line leaves them
    // unannounced.
    uint16_t holders[MACHINE_SHARED_WAYS];
    uint64_t order; // the ways, four bits each, the one used longest ago lowest; 0 above them
    uint16_t dirty, alone; // bit per way: newer than memory; no other node has it
    atomic_flag lock; // in the first node's set, for the sets of all nodes
} __attribute__((aligned(64)));

enum { SHARED_HUGE_PAGE = 2 << 20 };

static struct shared_set *sets; // sets x nodes

int shared_cache_init(void)
{
    size_t bytes = machine.shared.sets * machine.nodes * sizeof *sets;
    sets = aligned_alloc(SHARED_HUGE_PAGE, (bytes + SHARED_HUGE_PAGE - 1) / SHARED_HUGE_PAGE * SHARED_HUGE_PAGE);
    if (!sets)
        return -ENOMEM;
    madvise(sets, bytes, MADV_HUGEPAGE); // fewer misses of the host's TLB, where it is possible
    shared_cache_clear();
    return 0;
}

void shared_cache_clear(void)
{
    const uint64_t ways = 0xfedcba9876543210;
    const unsigned unused = (MACHINE_SHARED_WAYS - machine.shared.ways) * 4;
    for (uint64_t i = 0; i < machine.shared.sets * machine.nodes; i++)
        sets[i] = (struct shared_set){.order = ways << unused >> unused};
}

// Takes the way out of the order and puts it at another place of it: 0 is the next to go.
static __attribute__((noinline)) void shared_reorder(struct shared_set *set, unsigned way, unsigned place)
{
    static const uint64_t ones = 0x1111111111111111;
    uint64_t other = set->order ^ ones * way; // zero where the way stands
    unsigned at = (unsigned)__builtin_ctzll((other - ones) & ~other & ones << 3) / 4;
    uint64_t below = set->order & ((1ull << at * 4) - 1);
    uint64_t rest = below | (set->order >> at * 4 >> 4) << at * 4;
    uint64_t under = rest & ((1ull << place * 4) - 1);
    set->order = under | (uint64_t)way << place * 4 | (rest >> place * 4) << place * 4 << 4;
}

// The way was used now. One that was emptied or filled anew was the next to go.
static inline void shared_newest(struct shared_set *set, unsigned way)
{
    unsigned place = machine.shared.ways - 1;
    if ((set->order & 0xf) == way)
        set->order = set->order >> 4 | (uint64_t)way << place * 4;
    else
        shared_reorder(set, way, place);
}

// The sets of all nodes for a line, by node.
static struct shared_set *shared_sets(uint64_t line)
{
    return &sets[(line & (machine.shared.sets - 1)) * machine.nodes];
}

static __attribute__((noinline)) void shared_wait(struct shared_set *first)
{
    enum { SPINS = 100 }; // the holder may have lost its host CPU
    for (unsigned spins = 1; atomic_flag_test_and_set_explicit(&first->lock, memory_order_acquire); spins++)
        if (spins % SPINS == 0)
            sched_yield();
}

static inline void shared_lock(struct shared_set *first)
{
    if (atomic_flag_test_and_set_explicit(&first->lock, memory_order_acquire))
        shared_wait(first);
}

static void shared_unlock(struct shared_set *first)
{
    atomic_flag_clear_explicit(&first->lock, memory_order_release);
}

// The way that holds the line, or -1.
static inline int shared_find(const struct shared_set *set, uint64_t line)
{
    unsigned found = wide_equal(set->tags, MACHINE_SHARED_WAYS, 0, (uint32_t)line + 1);
    return found ? __builtin_ctz(found) : -1;
}

// Lowers the line in the private caches of these CPUs of the node. Returns the highest state found.
static inline enum private_state shared_lower(unsigned node, unsigned holders, uint64_t line, enum private_state most)
{
    enum private_state highest = PRIVATE_INVALID;
    for (; holders; holders &= holders - 1) {
        struct cpu *holder = cpu_of_node[node][__builtin_ctz(holders)];
        int64_t slot = private_find(&holder->private, line);
        enum private_state state = slot < 0 ? PRIVATE_INVALID : private_lower(&holder->private, slot, line, most);
        if (state > highest)
            highest = state;
    }
    return highest;
}

// Another CPU of the node wants the line: takes it from the CPU that may have it alone.
static enum lab_outcome shared_hit(struct shared_set *set, unsigned node, int way, uint64_t line, unsigned others,
                                   bool exclusive)
{
    bool one = others && !(others & (others - 1));
    if (!others || (!exclusive && !one))
        return LAB_HIT; // none can have it alone
    enum private_state state = shared_lower(node, others, line, exclusive ? PRIVATE_INVALID : PRIVATE_SHARED);
    if (exclusive || state == PRIVATE_INVALID)
        set->holders[way] &= (uint16_t)~others;
    if (state == PRIVATE_MODIFIED)
        set->dirty |= (uint16_t)(1u << way);
    if (!one || state < PRIVATE_EXCLUSIVE)
        return LAB_HIT;
    return state == PRIVATE_MODIFIED ? LAB_HIT_MODIFIED : LAB_HIT_CLEAN;
}

struct shared_others {
    bool found, dirty;
    unsigned from;
};

// Another node's copy: it stays, shared, or goes if the line is wanted exclusively. Returns whether it was modified.
static __attribute__((noinline)) bool shared_take(struct shared_set *first, unsigned node, int way, uint64_t line,
                                                  bool exclusive)
{
    struct shared_set *set = &first[node];
    uint16_t bit = (uint16_t)(1u << way);
    enum private_state state = PRIVATE_INVALID;
    if (exclusive || (set->alone & bit))
        state = shared_lower(node, set->holders[way], line, exclusive ? PRIVATE_INVALID : PRIVATE_SHARED);
    bool dirty = (set->dirty & bit) || state == PRIVATE_MODIFIED;
    set->alone &= (uint16_t)~bit;
    set->dirty &= (uint16_t)~bit;
    if (exclusive) {
        set->tags[way] = 0;
        shared_reorder(set, (unsigned)way, 0);
    }
    return dirty;
}

// Does any other node's cache have the line?
static inline bool shared_elsewhere(const struct shared_set *first, unsigned node, uint64_t line)
{
    bool found = false;
    for (unsigned other = 0; other < machine.nodes; other++)
        found |= other != node && shared_find(&first[other], line) >= 0;
    return found;
}

// Takes the line from the other nodes' caches.
static __attribute__((noinline)) struct shared_others shared_snoop(struct shared_set *first, unsigned node,
                                                                   uint64_t line, bool exclusive)
{
    struct shared_others others = {0};
    for (unsigned other = 0; other < machine.nodes; other++) {
        int way = other == node ? -1 : shared_find(&first[other], line);
        if (way < 0)
            continue;
        bool dirty = shared_take(first, other, way, line, exclusive);
        bool nearer = machine.distance[node][other] < machine.distance[node][others.from];
        if (!others.found || (dirty && !others.dirty) || (dirty == others.dirty && nearer))
            others.from = other;
        others.found = true;
        others.dirty |= dirty;
    }
    return others;
}

// Frees the way used longest ago. Returns the line that was there if it must be written.
static uint64_t shared_make_room(struct shared_set *set, unsigned node, int *freed)
{
    int way = set->order & 0xf;
    *freed = way;
    if (set->tags[way] == 0)
        return SHARED_NOTHING;
    uint64_t line = set->tags[way] - 1;
    bool modified = shared_lower(node, set->holders[way], line, PRIVATE_INVALID) == PRIVATE_MODIFIED;
    return modified || (set->dirty >> way & 1) ? line : SHARED_NOTHING;
}

static enum lab_outcome shared_outcome(unsigned node, unsigned home, const struct shared_others *others)
{
    if (!others->found)
        return machine_memory(node, home);
    bool far = machine_where(node, others->from) == LAB_FAR;
    return (others->dirty ? LAB_DIRTY : LAB_CACHE) + (far ? LAB_WHERES : 0) + machine_where(node, home);
}

static struct shared_reply shared_miss(struct shared_set *first, unsigned node, uint64_t line, bool exclusive, int *way)
{
    struct shared_set *set = &first[node];
    struct shared_others others = {0};
    if (shared_elsewhere(first, node, line))
        others = shared_snoop(first, node, line, exclusive);
    unsigned home = machine_home(line << MACHINE_LINE_SHIFT);
    struct shared_reply reply = {
        .from = others.found ? others.from : home,
        .outcome = shared_outcome(node, home, &others),
        .written = shared_make_room(set, node, way),
    };
    unsigned bit = 1u << *way;
    set->tags[*way] = (uint32_t)line + 1;
    set->holders[*way] = 0;
    set->alone |= (uint16_t)bit;
    set->dirty &= (uint16_t)~bit;
    if (others.found && !exclusive)
        set->alone ^= (uint16_t)bit; // a modified line that is only read is written to memory on the way
    else if (others.dirty)
        set->dirty |= (uint16_t)bit;
    return reply;
}

struct shared_reply shared_cache_request(struct cpu *cpu, uint64_t line, bool exclusive, int64_t slot)
{
    struct shared_set *first = shared_sets(line), *set = &first[cpu->node];
    uint16_t self = (uint16_t)(1u << cpu->rank);
    shared_lock(first);
    struct shared_reply reply = {.from = cpu->node, .written = SHARED_NOTHING};
    int way = shared_find(set, line);
    if (way < 0) {
        reply = shared_miss(first, cpu->node, line, exclusive, &way);
    } else {
        reply.outcome = shared_hit(set, cpu->node, way, line, (unsigned)(set->holders[way] & ~self), exclusive);
        if (exclusive && !(set->alone >> way & 1)) {
            set->dirty |= (uint16_t)(shared_snoop(first, cpu->node, line, true).dirty << way);
            set->alone |= (uint16_t)(1u << way);
        }
    }
    shared_newest(set, (unsigned)way);
    if (slot >= 0) {
        bool alone = (set->alone >> way & 1) && !(set->holders[way] & ~self);
        enum private_state state = exclusive ? PRIVATE_MODIFIED : alone ? PRIVATE_EXCLUSIVE : PRIVATE_SHARED;
        set->holders[way] |= self;
        private_write(&cpu->private, slot, private_pack(line, state));
    }
    shared_unlock(first);
    return reply;
}

void shared_cache_expect(const struct cpu *cpu, uint64_t line)
{
    const struct shared_set *first = shared_sets(line);
    __builtin_prefetch(&first->lock, 1);
    for (unsigned node = 0; node < machine.nodes; node++)
        __builtin_prefetch(first[node].tags, 1);
    __builtin_prefetch(first[cpu->node].holders, 1);
}

bool shared_cache_evict(struct cpu *cpu, int64_t slot)
{
    private_word word = private_read(&cpu->private, slot);
    if (private_state(word) != PRIVATE_MODIFIED) {
        private_write(&cpu->private, slot, 0);
        return false;
    }
    uint64_t line = private_line(word);
    struct shared_set *first = shared_sets(line), *set = &first[cpu->node];
    shared_lock(first);
    // Another CPU may have taken it, or made it shared, until we had the lock.
    bool modified = private_read(&cpu->private, slot) == word;
    int way = modified ? shared_find(set, line) : -1;
    if (way >= 0) {
        set->dirty |= (uint16_t)(1u << way);
        set->holders[way] &= (uint16_t)~(1u << cpu->rank);
    }
    private_write(&cpu->private, slot, 0);
    shared_unlock(first);
    return modified;
}
