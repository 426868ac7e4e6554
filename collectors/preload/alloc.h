// SPDX-License-Identifier: Apache-2.0
// Large blocks, with the call path that asked for them.
#ifndef COLLECTORS_PRELOAD_ALLOC_H
#define COLLECTORS_PRELOAD_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/alloc_ring.h"

// --- alloc_ring.c
int alloc_ring_make(void);           // a new ring for this process; its descriptor, or -errno
void alloc_ring_forked(void);        // the parent's is not ours

// Writes a record; drops it (and counts it lost) where there is no room, or where this thread is writing one already.
void alloc_ring_write(uint32_t type, enum alloc_kind kind, const void *address, size_t bytes, bool with_stack);

// --- alloc.c: a large block was made; one that may be large is about to be given back
void *alloc_note(void *address, size_t bytes);
void alloc_note_free(void *address);

// --- alloc_filter.c: which addresses may be large blocks, so that freeing a small one costs a look at one byte
void alloc_filter_add(const void *address);
void alloc_filter_remove(const void *address);
bool alloc_filter_may_hold(const void *address);

// --- alloc_stack.c
void alloc_stack_thread(void);       // remembers where the calling thread's stack ends
// First address behind the part of the stack that can be read, from an address in it.
uintptr_t alloc_stack_end(uintptr_t pointer);

#endif
