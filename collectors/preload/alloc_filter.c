// SPDX-License-Identifier: Apache-2.0
// The addresses of large heap blocks, for all threads, without a lock. Counts by page, in a table that fits the L1
// cache, answer for nearly all small blocks; an open hash table of the addresses answers for the others.
#include "collectors/preload/alloc_filter.h"

enum {
    ALLOC_FILTER_FULL = 255, // a count that was full stays: then its page is always looked up
    ALLOC_FILTER_SLOT_BITS = 16,
    ALLOC_FILTER_PROBES = 64, // slots in which an address may stand
};
static const uintptr_t alloc_filter_removed = 1; // no address of a block; 0: never used

_Atomic uint8_t alloc_filter_pages[1 << ALLOC_FILTER_BITS];
static _Atomic uintptr_t alloc_filter_slots[1 << ALLOC_FILTER_SLOT_BITS];
static _Atomic bool alloc_filter_overflowed; // an address had no room: what is not found may be there

static _Atomic uintptr_t *alloc_filter_slot(uintptr_t address, unsigned int probe)
{
    // Fibonacci hashing: 2^64 / golden ratio.
    uint64_t hash = (uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - ALLOC_FILTER_SLOT_BITS);
    return &alloc_filter_slots[(hash + probe) & ((1 << ALLOC_FILTER_SLOT_BITS) - 1)];
}

static void alloc_filter_count(const void *address, int change)
{
    _Atomic uint8_t *count = alloc_filter_page(address);
    uint8_t seen = atomic_load_explicit(count, memory_order_relaxed);
    while (seen != ALLOC_FILTER_FULL && !(change < 0 && seen == 0) &&
           !atomic_compare_exchange_weak(count, &seen, (uint8_t)(seen + change)))
        continue;
}

void alloc_filter_add(const void *address)
{
    uintptr_t value = (uintptr_t)address;
    alloc_filter_count(address, 1);
    for (unsigned int probe = 0; probe < ALLOC_FILTER_PROBES; probe++) {
        _Atomic uintptr_t *slot = alloc_filter_slot(value, probe);
        uintptr_t seen = atomic_load_explicit(slot, memory_order_relaxed);
        if (seen <= alloc_filter_removed && atomic_compare_exchange_strong(slot, &seen, value))
            return;
    }
    atomic_store_explicit(&alloc_filter_overflowed, true, memory_order_relaxed);
}

static bool alloc_filter_take(uintptr_t value)
{
    for (unsigned int probe = 0; probe < ALLOC_FILTER_PROBES; probe++) {
        _Atomic uintptr_t *slot = alloc_filter_slot(value, probe);
        uintptr_t seen = atomic_load_explicit(slot, memory_order_relaxed);
        if (seen == value)
            return atomic_compare_exchange_strong(slot, &seen, alloc_filter_removed);
        if (seen == 0)
            return false;
    }
    return false;
}

bool alloc_filter_remove(const void *address)
{
    if (!alloc_filter_take((uintptr_t)address))
        return atomic_load_explicit(&alloc_filter_overflowed, memory_order_relaxed);
    alloc_filter_count(address, -1);
    return true;
}

void alloc_filter_watch(const void *address)
{
    alloc_filter_count(address, 1);
}
