// SPDX-License-Identifier: Apache-2.0
// Large blocks, with the call stack that asked for them.
#ifndef COLLECTORS_PRELOAD_ALLOC_ALLOC_H
#define COLLECTORS_PRELOAD_ALLOC_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/protocol/alloc_ring.h"

// --- alloc_write.c
int alloc_write_make(void);           // a new ring for this process; its descriptor, or -errno
void alloc_write_forked(void);        // the parent's is not ours

// Write a record; drop it (and count it lost) where there is no room, or where this thread is writing one already.
// since: when the allocating call began.
void alloc_write_allocated(enum alloc_kind kind, const void *address, size_t bytes, uint64_t since);
void alloc_write_tls(const void *address, size_t bytes, const void *module, uint64_t since); // module: an address in it
void alloc_write_freed(enum alloc_kind kind, const void *address, size_t bytes);

// --- alloc.c: notes a large block, made by a call that began at since; notes a block that is about to be freed
void *alloc_note(void *address, size_t bytes, uint64_t since);
void alloc_note_free(void *address);
// Suspends notes of the calling thread: operator new notes the block itself, and calls malloc. Returns the old value.
bool alloc_set_quiet(bool quiet);
uint64_t alloc_since(size_t bytes); // the time when a call for a block begins; 0: a small one, or nobody records

// --- alloc_thread.c: the calling thread's stack and thread-local variables; of the main thread only those
// since: when its creation began; frame: our outermost frame of the thread.
void alloc_thread_began(uint64_t since, const void *frame);
void alloc_thread_ended(void);
void alloc_thread_variables(uint64_t since); // 0: they are gone

// --- alloc_stack.c: the calling thread's stack
void alloc_stack_find(const void *frame);    // of a thread that begins; frame: its outermost
bool alloc_stack_known(const void **start, size_t *bytes);
// First address behind the part of the stack that can be read, from an address in it.
uintptr_t alloc_stack_end(uintptr_t pointer);

#endif
