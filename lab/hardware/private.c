// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/private.h"

#include <errno.h>
#include <stdlib.h>

#include "lab/hardware/wide.h"

static size_t private_cells(const struct private_cache *cache)
{
    return machine.private.sets * cache->room * 2;
}

int private_init(struct private_cache *cache)
{
    enum { HOST_LINE = 64 };
    cache->room = (machine.private.ways + WIDE_WORDS - 1) / WIDE_WORDS * WIDE_WORDS;
    size_t bytes = private_cells(cache) * sizeof *cache->cells;
    cache->cells = aligned_alloc(HOST_LINE, (bytes + HOST_LINE - 1) / HOST_LINE * HOST_LINE);
    if (!cache->cells)
        return -ENOMEM;
    private_clear(cache);
    return 0;
}

static int64_t private_first(const struct private_cache *cache, uint64_t line)
{
    return (int64_t)((line & (machine.private.sets - 1)) * cache->room * 2);
}

// All uses are equally old. Ways that are only there to fill up the room are never empty and never the oldest.
static void private_forget_uses(struct private_cache *cache)
{
    cache->clock = 0;
    for (uint64_t set = 0; set < machine.private.sets; set++)
        for (uint32_t way = 0; way < cache->room; way++)
            cache->cells[private_first(cache, set) + cache->room + way] = way < machine.private.ways ? 0 : UINT32_MAX;
}

void private_clear(struct private_cache *cache)
{
    for (uint64_t set = 0; set < machine.private.sets; set++)
        for (uint32_t way = 0; way < cache->room; way++)
            cache->cells[private_first(cache, set) + way] = way < machine.private.ways ? 0 : UINT32_MAX;
    private_forget_uses(cache);
}

void private_tick(struct private_cache *cache)
{
    cache->clock += PRIVATE_TICK;
    if (cache->clock == 0) // once in hundreds of millions of lines
        private_forget_uses(cache);
}

// Plain reads of words that other threads may change: each is read whole, and checked again where it matters.
static const uint32_t *private_set(const struct private_cache *cache, int64_t first)
{
    return (const uint32_t *)&cache->cells[first];
}

int64_t private_find(const struct private_cache *cache, uint64_t line)
{
    int64_t first = private_first(cache, line);
    unsigned found = wide_equal(private_set(cache, first), cache->room, PRIVATE_STATE_BITS, private_number(line));
    return found ? first + __builtin_ctz(found) : -1;
}

int64_t private_victim(const struct private_cache *cache, uint64_t line)
{
    int64_t first = private_first(cache, line);
    const uint32_t *cells = private_set(cache, first);
    return first + wide_oldest(cells, cells + cache->room, cache->room) % PRIVATE_TICK;
}

enum private_state private_lower(struct private_cache *cache, uint64_t line, enum private_state most)
{
    int64_t slot = private_find(cache, line);
    if (slot < 0)
        return PRIVATE_INVALID;
    private_word word = private_read(cache, slot);
    // The owner may make it modified meanwhile: then the exchange fails and is tried again.
    while (private_holds(word, line)) {
        enum private_state state = private_state(word);
        enum private_state lowered = state < most ? state : most;
        private_word now = lowered == PRIVATE_INVALID ? 0 : private_pack(line, lowered);
        if (lowered == state || atomic_compare_exchange_weak(&cache->cells[slot], &word, now))
            return state;
    }
    return PRIVATE_INVALID;
}
