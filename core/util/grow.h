// SPDX-License-Identifier: Apache-2.0
// Arrays that double when they are full.
#ifndef CORE_UTIL_GROW_H
#define CORE_UTIL_GROW_H

#include <stddef.h>
#include <stdlib.h>

// The array, or a larger copy of it, with room for needed items; *size: how many there is room for. NULL: no memory;
// the array stays.
static inline void *grow_array(void *items, size_t *size, size_t needed, size_t item_bytes)
{
    enum { FIRST = 64 };
    if (needed <= *size)
        return items;
    size_t larger = *size ? *size * 2 : FIRST;
    larger = larger < needed ? needed : larger;
    void *grown = realloc(items, larger * item_bytes);
    if (grown)
        *size = larger;
    return grown;
}

#endif
