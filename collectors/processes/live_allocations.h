// SPDX-License-Identifier: Apache-2.0
// The blocks that live in an address space now, by address. They never overlap.
#ifndef COLLECTORS_PROCESSES_LIVE_ALLOCATIONS_H
#define COLLECTORS_PROCESSES_LIVE_ALLOCATIONS_H

#include <stdint.h>

struct live_allocation {
    uint64_t start, end;
    uint64_t since;                  // CLOCK_MONOTONIC: when the call that made it began
    int64_t object, thread;          // ids in the recording
    int64_t block;                   // its id there; 0: it has no row yet
};

struct live_allocations {                 // all zero: none
    void *tree;
};

// A block that has an address of start..end in it, the one at start if there is one there; NULL: none.
struct live_allocation *live_allocations_find(const struct live_allocations *blocks, uint64_t start, uint64_t end);

// Adds a copy, which must overlap no other. Returns it, or NULL: out of memory.
struct live_allocation *live_allocations_add(struct live_allocations *blocks, const struct live_allocation *block);
void live_allocations_remove(struct live_allocations *blocks, struct live_allocation *block);

// Calls visit with each, in the order of addresses; it must not add or remove any.
typedef void live_allocations_visit(void *context, struct live_allocation *block);
void live_allocations_each(const struct live_allocations *blocks, live_allocations_visit *visit, void *context);

// Adds copies of those of another address space.
void live_allocations_copy(struct live_allocations *to, const struct live_allocations *from);
void live_allocations_free(struct live_allocations *blocks);

#endif
