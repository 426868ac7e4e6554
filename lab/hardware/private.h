// SPDX-License-Identifier: GPL-2.0-or-later
// The private cache of one CPU. Its own thread fills and evicts; threads of other CPUs may take a line away or make it
// shared at any time, by compare-and-exchange on the line's word, holding the lock of the line's set (shared_cache.h).
#ifndef HARDWARE_PRIVATE_H
#define HARDWARE_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lab/hardware/machine.h"

// The state of a line, in the low bits of its word; the line's number (physical address / 64, below 64 GiB), counted
// from 1, stands above. An invalid word is 0.
enum private_state { PRIVATE_INVALID, PRIVATE_SHARED, PRIVATE_EXCLUSIVE, PRIVATE_MODIFIED, PRIVATE_STATES };
enum { PRIVATE_STATE_BITS = 2 };

typedef uint32_t private_word;

// A set is its lines' words, then the times of their last use (the owner's own): one cache line of the host for 8 ways.
// A slot is the index of its word. Times leave their low bits free for the number of a way. There is room for a
// multiple of four ways, as they are searched.
enum { PRIVATE_TICK = MACHINE_PRIVATE_WAYS };
struct private_cache {
    _Atomic private_word *cells;
    uint32_t room, clock;
};

static inline uint32_t private_number(uint64_t line)
{
    return (uint32_t)line + 1;
}

static inline private_word private_pack(uint64_t line, enum private_state state)
{
    return private_number(line) << PRIVATE_STATE_BITS | state;
}

static inline uint64_t private_line(private_word word)
{
    return (word >> PRIVATE_STATE_BITS) - 1;
}

static inline enum private_state private_state(private_word word)
{
    return word % PRIVATE_STATES;
}

static inline bool private_holds(private_word word, uint64_t line)
{
    return word >> PRIVATE_STATE_BITS == private_number(line);
}

static inline private_word private_read(const struct private_cache *cache, int64_t slot)
{
    return atomic_load_explicit(&cache->cells[slot], memory_order_relaxed);
}

static inline void private_write(struct private_cache *cache, int64_t slot, private_word word)
{
    atomic_store_explicit(&cache->cells[slot], word, memory_order_relaxed);
}

// The line of the slot was used now. The owner's clock goes on with every line, not with every access.
static inline void private_touch(struct private_cache *cache, int64_t slot)
{
    atomic_store_explicit(&cache->cells[slot + cache->room], cache->clock, memory_order_relaxed);
}

void private_tick(struct private_cache *cache);

int private_init(struct private_cache *cache);
void private_clear(struct private_cache *cache);

// The slot that holds the line, or -1.
int64_t private_find(const struct private_cache *cache, uint64_t line);

// For the owner: the slot to put a line in that it does not hold: an empty one, else the least recently used.
int64_t private_victim(const struct private_cache *cache, uint64_t line);

// For any thread: the state of the line that was in this slot becomes at most `most`. Returns the state it was in.
enum private_state private_lower(struct private_cache *cache, int64_t slot, uint64_t line, enum private_state most);

#endif
