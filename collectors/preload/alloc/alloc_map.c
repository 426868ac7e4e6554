// SPDX-License-Identifier: Apache-2.0
// Memory that the program maps itself: allocators of its own, huge pages, shared memory.
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "collectors/preload/alloc/alloc.h"
#include "collectors/preload/place/place.h"
#include "collectors/preload/preload.h"

// True for memory that can hold data: neither code nor a guard.
static bool alloc_map_is_data(size_t bytes, int protection, int flags)
{
    return bytes >= ALLOC_THRESHOLD && (protection & PROT_WRITE) && (flags & MAP_ANONYMOUS) && !(flags & MAP_STACK);
}

static enum alloc_kind alloc_map_kind(int flags)
{
    return flags & MAP_HUGETLB ? ALLOC_HUGE : flags & MAP_SHARED ? ALLOC_SHARED : ALLOC_MAPPING;
}

// All mappings that the recorder was told of lie between these. Most programs map nothing themselves, and unmap much.
static _Atomic uintptr_t alloc_map_lowest = UINTPTR_MAX, alloc_map_highest;

static void alloc_map_widen(uintptr_t start, uintptr_t end)
{
    uintptr_t lowest = atomic_load(&alloc_map_lowest), highest = atomic_load(&alloc_map_highest);
    while (start < lowest && !atomic_compare_exchange_weak(&alloc_map_lowest, &lowest, start))
        continue;
    while (end > highest && !atomic_compare_exchange_weak(&alloc_map_highest, &highest, end))
        continue;
}

static bool alloc_map_may_know(const void *address, size_t bytes)
{
    const uintptr_t start = (uintptr_t)address;
    return bytes > 0 && start < atomic_load_explicit(&alloc_map_highest, memory_order_relaxed) &&
           start + bytes > atomic_load_explicit(&alloc_map_lowest, memory_order_relaxed);
}

// What is no longer there, of any size: what comes there later is another object.
static void alloc_map_freed(enum alloc_kind kind, const void *address, size_t bytes)
{
    if (alloc_map_may_know(address, bytes))
        alloc_write_freed(kind, address, bytes);
}

static __attribute__((noinline)) void *alloc_map_note(enum alloc_kind kind, void *address, size_t bytes,
                                                      bool is_private, uint64_t since, const void *caller)
{
    preload_connect();
    place_mapped(address, bytes, is_private, caller);
    alloc_map_widen((uintptr_t)address, (uintptr_t)address + bytes);
    alloc_write_allocated(kind, address, bytes, since);
    return address;
}

PRELOAD_EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    static __typeof__(&mmap) next;
    if (!next)
        next = PRELOAD_NEXT(mmap);
    uint64_t since = alloc_since(bytes); // MAP_POPULATE touches the pages before the call returns
    void *memory = next(address, bytes, protection, flags, fd, offset);
    if (memory == MAP_FAILED)
        return memory;
    if (alloc_map_is_data(bytes, protection, flags))
        return alloc_map_note(alloc_map_kind(flags), memory, bytes, !(flags & (MAP_SHARED | MAP_HUGETLB)), since,
                              __builtin_return_address(0));
    if (flags & MAP_FIXED)
        alloc_map_freed(ALLOC_MAPPING, memory, bytes);
    return memory;
}

// One function of the C library has both names where off_t has 64 bits.
PRELOAD_EXPORT __attribute__((alias("mmap"))) __typeof__(mmap64) mmap64;

PRELOAD_EXPORT int munmap(void *address, size_t bytes)
{
    static __typeof__(&munmap) next;
    if (!next)
        next = PRELOAD_NEXT(munmap);
    place_unmapped(address);
    alloc_map_freed(ALLOC_MAPPING, address, bytes);
    return next(address, bytes);
}

PRELOAD_EXPORT void *mremap(void *address, size_t old_bytes, size_t new_bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *target = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    struct place_move move;
    const bool was_known = alloc_map_may_know(address, old_bytes);
    bool is_placed = place_lift(address, old_bytes, &move);
    alloc_map_freed(ALLOC_MOVED, address, old_bytes);
    if (flags & MREMAP_FIXED)
        alloc_map_freed(ALLOC_MAPPING, target, new_bytes);
    uint64_t since = alloc_since(new_bytes); // behind the end of the old mapping, so that both never count
    void *moved = PRELOAD_NEXT(mremap)(address, old_bytes, new_bytes, flags, target);
    if (is_placed)
        place_settle(&move, moved, new_bytes); // its pages keep their policies
    const bool has_failed = moved == MAP_FAILED; // then it is still there
    void *const start = has_failed ? address : moved;
    const size_t bytes = has_failed ? old_bytes : new_bytes;
    const bool was_small = old_bytes > 0 && old_bytes < ALLOC_THRESHOLD; // nobody was told of it
    if (bytes >= ALLOC_THRESHOLD && (was_small || was_known))
        alloc_map_note(was_small ? ALLOC_MAPPING : ALLOC_MOVED, start, bytes, true, since, NULL);
    return moved;
}
