// SPDX-License-Identifier: Apache-2.0
#include <stdatomic.h>

#include "collectors/preload/alloc.h"

// Large blocks by the page they begin on, in a table that fits the first-level cache. A count that is full stays full:
// then frees of that page are reported for nothing.
enum { FILTER_BITS = 15, FILTER_FULL = 255 };
static _Atomic uint8_t filter[1 << FILTER_BITS];

static _Atomic uint8_t *filter_of(const void *address)
{
    return &filter[(uintptr_t)address >> 12 & ((1 << FILTER_BITS) - 1)];
}

void alloc_filter_add(const void *address)
{
    _Atomic uint8_t *count = filter_of(address);
    uint8_t seen = atomic_load_explicit(count, memory_order_relaxed);
    while (seen != FILTER_FULL && !atomic_compare_exchange_weak(count, &seen, (uint8_t)(seen + 1)))
        continue;
}

void alloc_filter_remove(const void *address)
{
    _Atomic uint8_t *count = filter_of(address);
    uint8_t seen = atomic_load_explicit(count, memory_order_relaxed);
    while (seen != FILTER_FULL && seen != 0 && !atomic_compare_exchange_weak(count, &seen, (uint8_t)(seen - 1)))
        continue;
}

bool alloc_filter_may_hold(const void *address)
{
    return atomic_load_explicit(filter_of(address), memory_order_relaxed) != 0;
}
