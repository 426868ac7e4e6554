// SPDX-License-Identifier: Apache-2.0
// Freed placed blocks, kept for the next allocation of the same subject, place and size: a program that allocates in a
// loop would else fault all pages in again each time, as it does not with its own allocator.
#include "collectors/preload/place/place.h"

enum {
    PLACE_CACHE_BLOCKS = 64,
    PLACE_CACHE_BUSY = 1,
    PLACE_CACHE_LARGEST = 32 << 20,  // glibc gives larger blocks back at once as well (DEFAULT_MMAP_THRESHOLD_MAX)
    PLACE_CACHE_BYTES = 256 << 20,   // of all kept blocks
};

static struct place_kept {
    _Atomic uintptr_t start;         // 0: empty
    size_t bytes;
    const struct placement_place *place;
    int subject;
} place_cache[PLACE_CACHE_BLOCKS];

static _Atomic size_t place_cache_bytes;

bool place_cache_keep(int subject, const struct place_range *range)
{
    if (range->bytes > PLACE_CACHE_LARGEST ||
        atomic_fetch_add(&place_cache_bytes, range->bytes) + range->bytes > PLACE_CACHE_BYTES)
        goto full;
    for (int i = 0; i < PLACE_CACHE_BLOCKS; i++) {
        struct place_kept *kept = &place_cache[i];
        uintptr_t empty = 0;
        if (!atomic_compare_exchange_strong(&kept->start, &empty, PLACE_CACHE_BUSY))
            continue;
        kept->bytes = range->bytes;
        kept->place = range->place;
        kept->subject = subject;
        atomic_store_explicit(&kept->start, range->start, memory_order_release);
        return true;
    }
full:
    if (range->bytes <= PLACE_CACHE_LARGEST)
        atomic_fetch_sub(&place_cache_bytes, range->bytes);
    return false;
}

uintptr_t place_cache_take(int subject, const struct placement_place *place, size_t bytes, size_t alignment)
{
    for (int i = 0; i < PLACE_CACHE_BLOCKS; i++) {
        struct place_kept *kept = &place_cache[i];
        uintptr_t start = atomic_load_explicit(&kept->start, memory_order_acquire);
        if (start <= PLACE_CACHE_BUSY || (alignment && start % alignment) ||
            !atomic_compare_exchange_strong(&kept->start, &start, PLACE_CACHE_BUSY))
            continue;
        // Only now does the entry belong to this thread.
        bool fits = kept->bytes == bytes && kept->place == place && kept->subject == subject;
        atomic_store_explicit(&kept->start, fits ? 0 : start, memory_order_release);
        if (fits) {
            atomic_fetch_sub(&place_cache_bytes, bytes);
            return start;
        }
    }
    return 0;
}
