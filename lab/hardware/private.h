// SPDX-License-Identifier: GPL-2.0-or-later
// The private cache of one CPU. Its own thread fills and evicts; threads of other CPUs may take a line away or make it
// shared at any time, by compare-and-exchange on the line's word, holding the lock of the line's set (shared_cache.h).
#ifndef HARDWARE_PRIVATE_H
#define HARDWARE_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// The state of a line, in the low bits of its word; the line's number (physical address / 64) stands above them.
enum private_state { PRIVATE_INVALID, PRIVATE_SHARED, PRIVATE_EXCLUSIVE, PRIVATE_MODIFIED, PRIVATE_STATES };

struct private_cache {
    _Atomic uint64_t *words; // sets x ways
    uint64_t *used; // time of the last use, by slot: the owner's own
    uint64_t clock;
};

static inline uint64_t private_word(uint64_t line, enum private_state state)
{
    return line * PRIVATE_STATES + state;
}

static inline bool private_holds(uint64_t word, uint64_t line)
{
    return word / PRIVATE_STATES == line && word % PRIVATE_STATES != PRIVATE_INVALID;
}

int private_init(struct private_cache *cache);
void private_clear(struct private_cache *cache);

// The slot that holds the line, or -1.
int64_t private_find(const struct private_cache *cache, uint64_t line);

// The slot to put the line in: an empty one, else the one least recently used.
int64_t private_victim(const struct private_cache *cache, uint64_t line);

// For any thread: the line's state becomes at most `most`. Returns the state it was in.
enum private_state private_lower(struct private_cache *cache, uint64_t line, enum private_state most);

#endif
