// SPDX-License-Identifier: Apache-2.0
// Memory that the program maps itself: allocators of its own, huge pages, shared memory.
#include <stdarg.h>
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

static __attribute__((noinline)) void *alloc_map_note(void *address, size_t bytes, int protection, int flags,
                                                      uint64_t since, const void *caller)
{
    if (address != MAP_FAILED && alloc_map_is_data(bytes, protection, flags)) {
        preload_connect();
        place_mapped(address, bytes, !(flags & (MAP_SHARED | MAP_HUGETLB)), caller);
        alloc_write_allocated(alloc_map_kind(flags), address, bytes, since);
    }
    return address;
}

PRELOAD_EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    static __typeof__(&mmap) next;
    if (!next)
        next = PRELOAD_NEXT(mmap);
    uint64_t since = alloc_since(bytes); // MAP_POPULATE touches the pages before the call returns
    return alloc_map_note(next(address, bytes, protection, flags, fd, offset), bytes, protection, flags, since,
                          __builtin_return_address(0));
}

// One function of the C library has both names where off_t has 64 bits.
PRELOAD_EXPORT __attribute__((alias("mmap"))) __typeof__(mmap64) mmap64;

PRELOAD_EXPORT int munmap(void *address, size_t bytes)
{
    static __typeof__(&munmap) next;
    if (!next)
        next = PRELOAD_NEXT(munmap);
    place_unmapped(address);
    if (bytes >= ALLOC_THRESHOLD)
        alloc_write_freed(ALLOC_MAPPING, address, bytes);
    return next(address, bytes);
}

PRELOAD_EXPORT void *mremap(void *address, size_t old_bytes, size_t new_bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *target = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    struct place_move move;
    bool is_placed = place_lift(address, old_bytes, &move);
    if (old_bytes >= ALLOC_THRESHOLD)
        alloc_write_freed(ALLOC_MAPPING, address, old_bytes);
    uint64_t since = alloc_since(new_bytes); // behind the end of the old mapping, so that both never count
    void *moved = PRELOAD_NEXT(mremap)(address, old_bytes, new_bytes, flags, target);
    if (is_placed)
        place_settle(&move, moved, new_bytes); // its pages keep their policies
    if (moved == MAP_FAILED)
        alloc_map_note(address, old_bytes, PROT_WRITE, MAP_ANONYMOUS, since, NULL); // it is still there
    return alloc_map_note(moved, new_bytes, PROT_WRITE, MAP_ANONYMOUS, since, NULL);
}
