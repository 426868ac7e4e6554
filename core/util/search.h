// SPDX-License-Identifier: Apache-2.0
#ifndef CORE_UTIL_SEARCH_H
#define CORE_UTIL_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// How many of the items have a key of at most this: they are sorted by it, a uint64_t that begins key_at bytes into
// each.
static inline size_t search_at_most(const void *items, size_t count, size_t item_bytes, size_t key_at, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        uint64_t there;
        memcpy(&there, (const char *)items + middle * item_bytes + key_at, sizeof there);
        if (there <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
