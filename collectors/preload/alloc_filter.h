// SPDX-License-Identifier: Apache-2.0
// Which addresses are large blocks, so that freeing a small one costs a look at one byte.
#ifndef COLLECTORS_PRELOAD_ALLOC_FILTER_H
#define COLLECTORS_PRELOAD_ALLOC_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { ALLOC_FILTER_BITS = 15 };

void alloc_filter_add(const void *address);
bool alloc_filter_remove(const void *address); // false: it is not there
void alloc_filter_watch(const void *address);  // look twice at blocks of its page, for ever
extern _Atomic uint8_t alloc_filter_pages[1 << ALLOC_FILTER_BITS];

static inline _Atomic uint8_t *alloc_filter_page(const void *address)
{
    return &alloc_filter_pages[(uintptr_t)address >> 12 & ((1 << ALLOC_FILTER_BITS) - 1)];
}

// The look at one byte; also true for some addresses that are not in the table.
static inline bool alloc_filter_may_hold(const void *address)
{
    return atomic_load_explicit(alloc_filter_page(address), memory_order_relaxed) != 0;
}

#endif
