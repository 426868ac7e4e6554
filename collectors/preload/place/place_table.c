// SPDX-License-Identifier: Apache-2.0
#include "collectors/preload/place/place.h"

enum { PLACE_TABLE_REMOVED = 1, PLACE_TABLE_BUSY = 2, PLACE_TABLE_PROBES = 64 };

static struct place_block place_table[PLACE_BLOCKS];
static _Atomic uint64_t place_table_pieces;      // of all blocks

static struct place_block *place_table_slot(uintptr_t address, unsigned int probe)
{
    // Fibonacci hashing: 2^64 / golden ratio, the upper 13 bits.
    uint64_t hash = (uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 51;
    return &place_table[(hash + probe) & (PLACE_BLOCKS - 1)];
}

static void place_table_copy(struct place_block *to, const struct place_block *from)
{
    to->usable = from->usable;
    to->range = from->range;
    to->subject = from->subject;
    to->process = from->process;
    to->is_mapping = from->is_mapping;
    atomic_store_explicit(&to->is_checked, false, memory_order_relaxed);
}

struct place_block *place_table_find(uintptr_t address)
{
    for (unsigned int probe = 0; probe < PLACE_TABLE_PROBES; probe++) {
        struct place_block *slot = place_table_slot(address, probe);
        uintptr_t seen = atomic_load_explicit(&slot->address, memory_order_acquire);
        if (seen == address)
            return slot;
        if (seen == 0)
            return NULL;
    }
    return NULL;
}

static uint32_t place_table_count(const struct placement_place *place)
{
    return place->mode == PLACEMENT_BLOCKS ? place->piece_count : 1;
}

bool place_table_has_room(const struct placement_place *place)
{
    return atomic_load_explicit(&place_table_pieces, memory_order_relaxed) + place_table_count(place) <= PLACE_PIECES;
}

struct place_block *place_table_hold(uintptr_t address)
{
    struct place_block *slot = place_table_find(address);
    return slot && atomic_compare_exchange_strong(&slot->address, &address, PLACE_TABLE_BUSY) ? slot : NULL;
}

void place_table_put_back(struct place_block *slot, uintptr_t address)
{
    atomic_store_explicit(&slot->address, address, memory_order_release);
}

void place_table_drop(struct place_block *slot)
{
    atomic_fetch_sub(&place_table_pieces, slot->pieces);
    atomic_store_explicit(&slot->address, PLACE_TABLE_REMOVED, memory_order_release);
}

struct place_block *place_table_claim(uintptr_t address)
{
    struct place_block *slot;
    while ((slot = place_table_hold(address))) // the kernel gives an address out again only if it was unmapped
        place_table_drop(slot);
    for (unsigned int probe = 0; probe < PLACE_TABLE_PROBES; probe++) {
        slot = place_table_slot(address, probe);
        uintptr_t seen = atomic_load_explicit(&slot->address, memory_order_relaxed);
        if (seen <= PLACE_TABLE_REMOVED && atomic_compare_exchange_strong(&slot->address, &seen, PLACE_TABLE_BUSY)) {
            slot->pieces = 0;
            return slot;
        }
    }
    return NULL;
}

void place_table_fill(struct place_block *slot, const struct place_block *block)
{
    place_table_copy(slot, block);
    slot->pieces = place_table_count(slot->range.place);
    atomic_fetch_add(&place_table_pieces, slot->pieces);
    place_table_put_back(slot, atomic_load_explicit(&block->address, memory_order_relaxed));
}

bool place_table_add(const struct place_block *block)
{
    struct place_block *slot = place_table_claim(atomic_load_explicit(&block->address, memory_order_relaxed));
    if (slot)
        place_table_fill(slot, block);
    return slot;
}

bool place_table_remove(uintptr_t address, struct place_block *removed)
{
    struct place_block *slot = place_table_hold(address);
    if (!slot)
        return false;
    place_table_copy(removed, slot);
    place_table_drop(slot);
    return true;
}

struct place_block *place_table_each(size_t *at)
{
    while (*at < PLACE_BLOCKS) {
        struct place_block *slot = &place_table[(*at)++];
        if (atomic_load_explicit(&slot->address, memory_order_acquire) > PLACE_TABLE_BUSY)
            return slot;
    }
    return NULL;
}
