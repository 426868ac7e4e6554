// SPDX-License-Identifier: Apache-2.0
// The blocks that live in an address space now, by address. They never overlap.
#ifndef COLLECTORS_LIVE_BLOCKS_H
#define COLLECTORS_LIVE_BLOCKS_H

#include <stdint.h>

struct live_block {
    uint64_t start, end;
    uint64_t since;                  // CLOCK_MONOTONIC: when the call that made it began
    int64_t object, thread;          // ids in the recording
    int64_t block;                   // its id there; 0: it has no row yet
};

struct live_blocks {                 // all zero: none
    void *tree;
};

// A block that has an address of start..end in it, the one at start if there is one there; NULL: none.
struct live_block *live_blocks_find(const struct live_blocks *blocks, uint64_t start, uint64_t end);

// Adds a copy, which must overlap no other. Returns it, or NULL: out of memory.
struct live_block *live_blocks_add(struct live_blocks *blocks, const struct live_block *block);
void live_blocks_remove(struct live_blocks *blocks, struct live_block *block);

// Calls visit with each, in the order of addresses; it must not add or remove any.
typedef void live_blocks_visit(void *context, struct live_block *block);
void live_blocks_each(const struct live_blocks *blocks, live_blocks_visit *visit, void *context);

// Adds copies of those of another address space.
void live_blocks_copy(struct live_blocks *to, const struct live_blocks *from);
void live_blocks_free(struct live_blocks *blocks);

#endif
