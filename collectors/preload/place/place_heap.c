// SPDX-License-Identifier: Apache-2.0
#include "collectors/preload/place/place_heap.h"

#include <errno.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/preload/alloc_filter.h"
#include "collectors/preload/preload.h"

// Offset of the block in its mapping: as malloc's, so that a trial compares nodes and not alignments.
static size_t place_offset(size_t alignment)
{
    enum { MALLOC_HEADER = 16 };
    return alignment <= MALLOC_HEADER ? MALLOC_HEADER : 0;
}

// A mapping of `bytes` (whole pages) whose start is aligned; 0: there is no memory.
static uintptr_t place_map_aligned(size_t bytes, size_t alignment, size_t page)
{
    size_t spare = alignment > page ? alignment - page : 0;
    uintptr_t memory = (uintptr_t)preload_map(bytes + spare, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!memory)
        return 0;
    uintptr_t start = place_round(memory, alignment > page ? alignment : page);
    preload_unmap(memory, start - memory);
    preload_unmap(start + bytes, memory + spare - start);
    return start;
}

// A kept block, or a new mapping with its policies. 0: it could not be made.
static uintptr_t place_memory(int subject, const struct place_request *request, struct place_range *range)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const enum place_how how = request->grows ? PLACE_JOINABLE : PLACE_FRESH;
    range->start = request->zeroed ? 0 : place_cache_take(subject, range->place, range->bytes, request->alignment);
    if (range->start) {
        place_count_placed(subject, 1, request->bytes);
        return range->start;
    }
    range->start = place_map_aligned(range->bytes, request->alignment, page);
    if (!range->start) {
        place_count_refusal(subject, ENOMEM);
    } else if (place_bind_counted(subject, range, how, request->bytes) < 0) {
        preload_unmap(range->start, range->bytes);
        range->start = 0;
    } else {
        place_count_extra(subject, range->bytes - request->bytes);
    }
    return range->start;
}

static struct place_block place_described(int subject, const struct place_range *range, size_t offset)
{
    return (struct place_block){.address = range->start + offset,
                                .usable = range->bytes - offset,
                                .range = *range,
                                .subject = subject,
                                .process = place_process()};
}

static void *place_made(int subject, const struct place_request *request, struct place_range range)
{
    if (!place_memory(subject, request, &range))
        return NULL;
    const struct place_block block = place_described(subject, &range, place_offset(request->alignment));
    if (!place_table_add(&block)) {
        place_count_placed(subject, -1, request->bytes);
        place_count_refusal(subject, ENOSPC);
        preload_unmap(range.start, range.bytes);
        return NULL;
    }
    return (void *)block.address;
}

// A block of this process that begins where all blocks of realloc begin: it can become another. NULL: it is not one.
static struct place_block *place_hold_own(uintptr_t address)
{
    struct place_block *block = place_table_hold(address);
    const bool is_own = block && !block->is_mapping && block->process == place_process();
    if (is_own && address - block->range.start == place_offset(0))
        return block;
    if (block)
        place_table_put_back(block, address);
    return NULL;
}

// The kernel moves the pages of a block to a range of another size. NULL: it cannot, and the block is as it was.
static void *place_resized(int subject, const struct place_request *request, struct place_range range)
{
    const size_t offset = place_offset(0);
    struct place_block *slot = NULL, *old = place_hold_own((uintptr_t)request->block);
    if (!old)
        return NULL;
    place_check_block(old);
    range.start = place_map_aligned(range.bytes, 0, (size_t)sysconf(_SC_PAGESIZE));
    if (range.start)
        slot = place_table_claim(range.start + offset); // before the move, which cannot be undone
    if (slot && place_bind_move(&old->range, &range) == 0) {
        const struct place_block block = place_described(subject, &range, offset);
        place_bind_counted(subject, &range, PLACE_MOVED, request->bytes);
        place_count_extra(subject, range.bytes - request->bytes);
        place_table_fill(slot, &block);
        place_table_drop(old);
        return (void *)block.address;
    }
    if (slot)
        place_table_drop(slot);
    else
        preload_unmap(range.start, range.start ? range.bytes : 0);
    place_table_put_back(old, (uintptr_t)request->block);
    return NULL;
}

static bool place_is_size(size_t bytes, size_t alignment)
{
    const size_t most = (size_t)1 << 47; // of an address space
    return bytes < most && alignment <= (size_t)1 << 30 && (alignment & (alignment - 1)) == 0;
}

void *place_try(struct place_request *request)
{
    const size_t whole = place_round(request->bytes + place_offset(request->alignment), (size_t)sysconf(_SC_PAGESIZE));
    struct place_range range = {.bytes = whole};
    void *block = NULL;
    if (!place_is_size(request->bytes, request->alignment))
        return NULL;
    place_open();
    if (!place_is_on())
        return NULL;
    int kept_errno = errno;
    int subject = place_find(PLACEMENT_ALLOCATION, request->bytes, request->caller, &range.place);
    if (subject >= 0 && request->block)
        block = place_resized(subject, request, range);
    request->is_moved = block;
    if (subject >= 0 && !block)
        block = place_made(subject, request, range);
    if (block)
        alloc_filter_watch(block); // so that free looks twice at the block
    errno = kept_errno;
    return block;
}

bool place_release(void *block)
{
    struct place_block removed, *found = place_table_find((uintptr_t)block);
    int kept_errno = errno;
    if (!found || found->is_mapping)
        return false;
    place_check_block(found);
    if (place_table_remove((uintptr_t)block, &removed) && !place_cache_keep(removed.subject, &removed.range))
        preload_unmap(removed.range.start, removed.range.bytes);
    errno = kept_errno;
    return true;
}

size_t place_usable(const void *block)
{
    const struct place_block *found = place_table_find((uintptr_t)block);
    return found ? found->usable : 0;
}
