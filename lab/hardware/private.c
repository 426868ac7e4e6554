// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t private_cells(void)
{
    return machine.private.sets * machine.private.ways * 2;
}

int private_init(struct private_cache *cache)
{
    enum { HOST_LINE = 64 };
    size_t bytes = private_cells() * sizeof *cache->cells;
    cache->ways = machine.private.ways;
    cache->cells = aligned_alloc(HOST_LINE, (bytes + HOST_LINE - 1) / HOST_LINE * HOST_LINE);
    if (!cache->cells)
        return -ENOMEM;
    private_clear(cache);
    return 0;
}

void private_clear(struct private_cache *cache)
{
    memset((void *)cache->cells, 0, private_cells() * sizeof *cache->cells);
    cache->clock = 0;
}

static int64_t private_first(uint64_t line)
{
    return (int64_t)((line & (machine.private.sets - 1)) * machine.private.ways * 2);
}

void private_tick(struct private_cache *cache)
{
    cache->clock += PRIVATE_TICK;
    if (cache->clock != 0)
        return;
    // Once in hundreds of millions of lines: all uses are equally old.
    for (uint64_t set = 0; set < machine.private.sets; set++)
        memset((void *)&cache->cells[private_first(set) + cache->ways], 0, cache->ways * sizeof *cache->cells);
}

// With a constant number of ways the compiler makes each loop a few wide instructions.
static inline __attribute__((always_inline)) int64_t private_search(const uint32_t *cells, uint64_t line, uint32_t ways,
                                                                    uint32_t *victim)
{
    const private_word any = private_pack(line, PRIVATE_INVALID);
    uint32_t found = 0, oldest = UINT32_MAX;
    for (uint32_t way = 0; way < ways; way++) // an invalid word is 0
        found |= (cells[way] ^ any) - 1 < PRIVATE_MODIFIED ? way + 1 : 0;
    for (uint32_t way = 0; way < ways; way++) {
        uint32_t used = (cells[way] ? cells[ways + way] : 0) | way;
        oldest = used < oldest ? used : oldest;
    }
    *victim = oldest % PRIVATE_TICK;
    return (int64_t)found - 1;
}

int64_t private_find(const struct private_cache *cache, uint64_t line, int64_t *victim)
{
    int64_t first = private_first(line);
    // Plain reads of words that other threads may change: each is read whole, and checked again where it matters.
    const uint32_t *cells = (const uint32_t *)&cache->cells[first];
    uint32_t way;
    int64_t found = cache->ways == 8    ? private_search(cells, line, 8, &way)
                    : cache->ways == 16 ? private_search(cells, line, 16, &way)
                                        : private_search(cells, line, cache->ways, &way);
    *victim = first + way;
    return found < 0 ? -1 : first + found;
}

enum private_state private_lower(struct private_cache *cache, uint64_t line, enum private_state most)
{
    int64_t slot = private_first(line), last = slot + cache->ways;
    while (slot < last && !private_holds(private_read(cache, slot), line))
        slot++;
    if (slot == last)
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
