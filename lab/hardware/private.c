// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/hardware/machine.h"

int private_init(struct private_cache *cache)
{
    size_t slots = machine.private.sets * machine.private.ways;
    cache->words = calloc(slots, sizeof *cache->words);
    cache->used = calloc(slots, sizeof *cache->used);
    return cache->words && cache->used ? 0 : -ENOMEM;
}

void private_clear(struct private_cache *cache)
{
    size_t slots = machine.private.sets * machine.private.ways;
    memset((void *)cache->words, 0, slots * sizeof *cache->words);
    memset(cache->used, 0, slots * sizeof *cache->used);
}

static int64_t private_first(uint64_t line)
{
    return (int64_t)((line & (machine.private.sets - 1)) * machine.private.ways);
}

int64_t private_find(const struct private_cache *cache, uint64_t line)
{
    int64_t first = private_first(line);
    for (int64_t slot = first; slot < first + machine.private.ways; slot++)
        if (private_holds(atomic_load_explicit(&cache->words[slot], memory_order_relaxed), line))
            return slot;
    return -1;
}

int64_t private_victim(const struct private_cache *cache, uint64_t line)
{
    int64_t first = private_first(line), oldest = first;
    for (int64_t slot = first; slot < first + machine.private.ways; slot++) {
        if (atomic_load_explicit(&cache->words[slot], memory_order_relaxed) % PRIVATE_STATES == PRIVATE_INVALID)
            return slot;
        if (cache->used[slot] < cache->used[oldest])
            oldest = slot;
    }
    return oldest;
}

enum private_state private_lower(struct private_cache *cache, uint64_t line, enum private_state most)
{
    int64_t slot = private_find(cache, line);
    if (slot < 0)
        return PRIVATE_INVALID;
    uint64_t word = atomic_load_explicit(&cache->words[slot], memory_order_relaxed);
    // The owner may make it modified meanwhile: then the exchange fails and is tried again.
    while (private_holds(word, line)) {
        enum private_state state = word % PRIVATE_STATES;
        uint64_t lowered = private_word(line, state < most ? state : most);
        if (atomic_compare_exchange_weak(&cache->words[slot], &word, lowered))
            return state;
    }
    return PRIVATE_INVALID;
}
