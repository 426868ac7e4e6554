// SPDX-License-Identifier: Apache-2.0
// Stands before the allocation functions. A small block costs a comparison, its free a look at one byte; a large one is
// written to the ring with its call stack.
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/preload/alloc/alloc.h"
#include "collectors/preload/alloc_filter.h"
#include "collectors/preload/place/place_heap.h"
#include "collectors/preload/preload.h"
#include "core/system/clock.h"

// --- before the real functions are known: dlsym itself may allocate

enum { EARLY_BYTES = 64 << 10 };
static _Alignas(4096) char early[EARLY_BYTES];
static size_t early_used;

static bool early_owns(const void *address)
{
    return (const char *)address >= early && (const char *)address < early + EARLY_BYTES;
}

static void *early_malloc(size_t bytes)
{
    size_t rounded = (bytes + 15) & ~(size_t)15;
    if (rounded > EARLY_BYTES - early_used) {
        errno = ENOMEM;
        return NULL;
    }
    void *block = early + early_used;
    early_used += rounded;
    alloc_filter_watch(block); // so that free checks the block in full
    return block;
}

static void *first_malloc(size_t bytes);
static void *first_calloc(size_t count, size_t size);
static void *first_realloc(void *block, size_t bytes);
static void first_free(void *block);

// These three are called millions of times: stand-ins serve until the real functions are known, so no call tests for
// it.
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*malloc_usable_size)(void *);
    bool known;
} next = {.malloc = first_malloc, .calloc = first_calloc, .realloc = first_realloc, .free = first_free};

static bool alloc_find_next(void)
{
    static __thread bool finding;
    if (finding)
        return false;
    finding = true;
    next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    next.memalign = dlsym(RTLD_NEXT, "memalign");
    next.valloc = dlsym(RTLD_NEXT, "valloc");
    next.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
    next.malloc_usable_size = dlsym(RTLD_NEXT, "malloc_usable_size");
    next.free = dlsym(RTLD_NEXT, "free");
    next.realloc = dlsym(RTLD_NEXT, "realloc");
    next.calloc = dlsym(RTLD_NEXT, "calloc");
    next.malloc = dlsym(RTLD_NEXT, "malloc");
    next.known = true;
    finding = false;
    return true;
}

static void *first_malloc(size_t bytes)
{
    return alloc_find_next() ? next.malloc(bytes) : early_malloc(bytes);
}

static void *first_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (alloc_find_next())
        return next.calloc(count, size);
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : early_malloc(bytes); // zero: it was never used before
}

static void *first_realloc(void *block, size_t bytes)
{
    return alloc_find_next() ? next.realloc(block, bytes) : early_malloc(bytes);
}

static void first_free(void *block)
{
    if (alloc_find_next())
        next.free(block);
}

// --- large blocks

static __thread bool alloc_quiet;

bool alloc_set_quiet(bool quiet)
{
    bool before = alloc_quiet;
    alloc_quiet = quiet;
    return before;
}

__attribute__((noinline)) void *alloc_note(void *address, size_t bytes, uint64_t since)
{
    if (address && !alloc_quiet) {
        preload_connect();
        alloc_filter_add(address);
        alloc_write_allocated(ALLOC_HEAP, address, bytes, since);
    }
    return address;
}

__attribute__((noinline)) void alloc_note_free(void *address)
{
    if (alloc_filter_remove(address))
        alloc_write_freed(ALLOC_HEAP, address, 0);
}

uint64_t alloc_since(size_t bytes)
{
    if (bytes < ALLOC_THRESHOLD)
        return 0;
    preload_connect();
    return preload_channel() ? clock_now() : 0;
}

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define CALLER __builtin_return_address(0)

// A function of its own, so that a small block costs no stack frame.
static __attribute__((noinline)) void *alloc_large_malloc(size_t bytes, const void *caller)
{
    uint64_t since = alloc_since(bytes);
    void *placed = place_allocate(bytes, 0, caller);
    return alloc_note(placed ? placed : next.malloc(bytes), bytes, since);
}

PRELOAD_EXPORT void *malloc(size_t bytes)
{
    return LIKELY(bytes < ALLOC_THRESHOLD) ? next.malloc(bytes) : alloc_large_malloc(bytes, CALLER);
}

static __attribute__((noinline)) void *alloc_large_calloc(size_t count, size_t size, size_t bytes, const void *caller)
{
    uint64_t since = alloc_since(bytes);
    void *placed = place_request(&(struct place_request){.bytes = bytes, .caller = caller, .zeroed = true});
    return alloc_note(placed ? placed : next.calloc(count, size), bytes, since);
}

PRELOAD_EXPORT void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || LIKELY(bytes < ALLOC_THRESHOLD))
        return next.calloc(count, size); // too much for any allocator: the next one says so
    return alloc_large_calloc(count, size, bytes, CALLER);
}

static __attribute__((noinline)) void alloc_free_watched(void *block)
{
    if (!block || early_owns(block)) // NULL has a page in the filter as well
        return;
    alloc_note_free(block); // before it is free: another thread may get the same address at once
    if (!place_release(block))
        next.free(block);
}

PRELOAD_EXPORT void free(void *block)
{
    if (LIKELY(!alloc_filter_may_hold(block)))
        next.free(block);
    else
        alloc_free_watched(block);
}

// Of C23; the C library's own would not know placed blocks.
PRELOAD_EXPORT void free_sized(void *block, size_t bytes);
PRELOAD_EXPORT void free_aligned_sized(void *block, size_t alignment, size_t bytes);

void free_sized(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

void free_aligned_sized(void *block, size_t alignment, size_t bytes)
{
    (void)alignment;
    (void)bytes;
    free(block);
}

// Out of the early blocks: their size is not known, but it is not more than what lies behind.
static void *alloc_move_early(void *block, size_t bytes)
{
    size_t behind = (size_t)(early + EARLY_BYTES - (char *)block);
    void *moved = malloc(bytes);
    if (moved)
        memcpy(moved, block, bytes < behind ? bytes : behind);
    return moved;
}

// realloc from, to or between placed blocks: *moved is the result. False: none of them is placed.
static bool alloc_realloc_placed(void *block, size_t bytes, const void *caller, void **moved)
{
    size_t placed_bytes = block ? place_usable(block) : 0;
    struct place_request request = {
        .bytes = bytes, .caller = caller, .grows = true, .block = placed_bytes ? block : NULL};
    void *placed = *moved = bytes >= ALLOC_THRESHOLD ? place_request(&request) : NULL;
    if (request.is_moved)
        return true;
    if (!placed && !placed_bytes)
        return false;
    if (!placed && bytes > 0)
        placed = next.malloc(bytes);
    size_t before = placed_bytes || !block ? placed_bytes : next.malloc_usable_size(block);
    if (placed && block)
        memcpy(placed, block, before < bytes ? before : bytes);
    if (block && (placed || bytes == 0) && !place_release(block))
        next.free(block);
    *moved = placed;
    return true;
}

static void *alloc_realloc(void *block, size_t bytes, const void *caller)
{
    bool may_be_large = block && alloc_filter_may_hold(block);
    if (LIKELY(bytes < ALLOC_THRESHOLD && !may_be_large))
        return next.realloc(block, bytes);
    if (early_owns(block))
        return alloc_move_early(block, bytes);
    bool was_large = may_be_large && alloc_filter_remove(block);
    if (was_large)
        alloc_write_freed(ALLOC_HEAP, block, 0); // before: once it has moved, another thread may have the address
    uint64_t since = alloc_since(bytes); // behind the end of the old block, so that both never count
    void *moved;
    if (!alloc_realloc_placed(block, bytes, caller, &moved))
        moved = next.realloc(block, bytes);
    if (!moved && was_large && bytes > 0)
        alloc_note(block, malloc_usable_size(block), since); // it failed: the block is still there
    return bytes < ALLOC_THRESHOLD ? moved : alloc_note(moved, bytes, since);
}

PRELOAD_EXPORT void *realloc(void *block, size_t bytes)
{
    return alloc_realloc(block, bytes, CALLER);
}

PRELOAD_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return alloc_realloc(block, bytes, CALLER);
}

PRELOAD_EXPORT size_t malloc_usable_size(void *block)
{
    size_t placed = block && alloc_filter_may_hold(block) ? place_usable(block) : 0;
    if (placed || (!next.known && !alloc_find_next()) || !next.malloc_usable_size)
        return placed;
    return next.malloc_usable_size(block);
}

// What no allocator would accept is left to the next one, which says so in its own way.
static void *place_aligned(size_t alignment, size_t bytes, const void *caller)
{
    bool is_power = alignment > 0 && (alignment & (alignment - 1)) == 0;
    return is_power && bytes >= ALLOC_THRESHOLD ? place_allocate(bytes, alignment, caller) : NULL;
}

PRELOAD_EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (!next.known && !alloc_find_next())
        return NULL;
    uint64_t since = alloc_since(bytes);
    void *block = place_aligned(alignment, bytes, CALLER);
    if (!block)
        block = next.aligned_alloc(alignment, bytes);
    return bytes < ALLOC_THRESHOLD ? block : alloc_note(block, bytes, since);
}

PRELOAD_EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (!next.known && !alloc_find_next())
        return ENOMEM;
    uint64_t since = alloc_since(bytes);
    void *placed = alignment % sizeof(void *) == 0 ? place_aligned(alignment, bytes, CALLER) : NULL;
    int status = placed ? 0 : next.posix_memalign(block, alignment, bytes);
    if (placed)
        *block = placed;
    if (status == 0 && bytes >= ALLOC_THRESHOLD)
        alloc_note(*block, bytes, since);
    return status;
}

PRELOAD_EXPORT void *memalign(size_t alignment, size_t bytes)
{
    if (!next.known && !alloc_find_next())
        return NULL;
    uint64_t since = alloc_since(bytes);
    void *block = place_aligned(alignment, bytes, CALLER);
    if (!block)
        block = next.memalign(alignment, bytes);
    return bytes < ALLOC_THRESHOLD ? block : alloc_note(block, bytes, since);
}

PRELOAD_EXPORT void *valloc(size_t bytes)
{
    if (!next.known && !alloc_find_next())
        return NULL;
    uint64_t since = alloc_since(bytes);
    void *block = place_aligned((size_t)sysconf(_SC_PAGESIZE), bytes, CALLER);
    if (!block)
        block = next.valloc(bytes);
    return bytes < ALLOC_THRESHOLD ? block : alloc_note(block, bytes, since);
}

PRELOAD_EXPORT void *pvalloc(size_t bytes)
{
    if (!next.known && !alloc_find_next())
        return NULL;
    uint64_t since = alloc_since(bytes);
    void *block = next.pvalloc(bytes);
    return bytes < ALLOC_THRESHOLD ? block : alloc_note(block, bytes, since);
}
