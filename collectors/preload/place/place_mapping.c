// SPDX-License-Identifier: Apache-2.0
// Anonymous memory that the program maps itself, and what its munmap and mremap do to placed mappings.
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/preload/place/place.h"
#include "collectors/preload/place/place_heap.h"

static struct place_block place_described(uintptr_t address, const struct place_range *range, int subject)
{
    return (struct place_block){
        .address = address, .range = *range, .subject = subject, .process = place_process(), .is_mapping = true};
}

void place_mapped(void *address, size_t bytes, bool is_private, const void *caller)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct place_range range = {.start = (uintptr_t)address, .bytes = place_round(bytes, page)};
    if (!place_is_on())
        return;
    int kept_errno = errno;
    int subject = place_find(PLACEMENT_MAPPING, bytes, caller, &range.place);
    if (subject >= 0 &&
        place_bind_counted(subject, &range, is_private ? PLACE_JOINABLE : PLACE_FRESH, bytes) == 0 &&
        !place_usable(address)) {
        const struct place_block block = place_described(range.start, &range, subject);
        place_table_add(&block);
    }
    errno = kept_errno;
}

void place_unmapped(const void *address)
{
    struct place_block removed, *found;
    if (!place_is_on())
        return;
    found = place_table_find((uintptr_t)address);
    if (found && found->is_mapping) {
        int kept_errno = errno;
        place_check_block(found);
        place_table_remove((uintptr_t)address, &removed);
        errno = kept_errno;
    }
}

// The mapping that begins there, which nobody else gets until it is put back or dropped.
static struct place_block *place_hold_mapping(uintptr_t start)
{
    struct place_block *slot = place_table_hold(start);
    if (!slot || slot->is_mapping)
        return slot;
    place_table_put_back(slot, start);
    return NULL;
}

static struct place_block *place_mapping_around(uintptr_t address)
{
    struct place_block *block;
    for (size_t at = 0; (block = place_table_each(&at));)
        if (block->is_mapping && address - block->range.start < block->range.bytes)
            return block;
    return NULL;
}

bool place_lift(const void *address, size_t bytes, struct place_move *move)
{
    const uintptr_t start = (uintptr_t)address;
    if (!place_is_on())
        return false;
    // What was unmapped in parts may still stand in the table, around a later mapping.
    struct place_block *own = place_hold_mapping(start), *block = own ? own : place_mapping_around(start);
    if (!block)
        return false;
    *move = (struct place_move){
        .range = block->range, .subject = block->subject, .from = start, .bytes = bytes, .slot = own};
    place_bind_join(&move->range, start, bytes);
    return true;
}

void place_settle(struct place_move *move, const void *address, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t to = address == MAP_FAILED ? move->from : (uintptr_t)address;
    const int kept_errno = errno;
    // A part that moved is not in the table: in pieces, nobody would join them before it moves again.
    if (move->slot || to == move->from)
        place_bind_again(&move->range, move->from, to, place_round(address == MAP_FAILED ? move->bytes : bytes, page));
    if (move->slot && to == move->from) {
        place_table_put_back(move->slot, to);
    } else if (move->slot) {
        place_table_drop(move->slot);
        move->range.start = to;
        const struct place_block block = place_described(to, &move->range, move->subject);
        place_table_add(&block);
    }
    errno = kept_errno;
}
