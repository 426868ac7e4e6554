// SPDX-License-Identifier: Apache-2.0
// How the preload library tells of large allocations: a ring in memory that the process made and shared when it
// connected, in the form of the kernel's perf rings (control page with data_head and data_tail, then the data), so that
// one reader serves both. Threads write at once and never wait for each other: a writer reserves its record by moving
// data_head, and stores the header last, in one piece, which commits the record. Unused bytes are zero: the reader
// zeroes what it has read. Each record ends with its time. The process may write anything here.
#ifndef COLLECTORS_PROTOCOL_ALLOC_RING_H
#define COLLECTORS_PROTOCOL_ALLOC_RING_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/topology/cpulist.h"

enum {
    ALLOC_RING_CONTROL_BYTES = 4096,
    ALLOC_RING_MASK = 2048,          // in the control page: the affinity mask that the process inherited
    ALLOC_RING_BYTES = 4 << 20,      // of data: touched only as far as it is used
    ALLOC_THRESHOLD = 64 << 10,      // smaller blocks are not worth a name of their own
    ALLOC_STACK_BYTES = 4096,        // of the stack, for the call stack
    ALLOC_TLS_LEAST = 4096,          // a module's thread-local variables are told of from this size on
    ALLOC_REGISTERS = 33,            // as many as PERF_EVENT_REGS_USER of any architecture has
    // While the recorder has not come: behind this no more stacks, so that blocks keep at least their addresses ...
    ALLOC_RING_STACKS = ALLOC_RING_BYTES / 2,
    // ... and behind this only frees: a missed one would leave a block where another is by now.
    ALLOC_RING_BLOCKS = ALLOC_RING_BYTES / 4 * 3,
};

// Counters in the control page's __reserved: records there was no room for, and frees among them.
enum alloc_ring_counter { ALLOC_LOST, ALLOC_LOST_FREES };

static inline _Atomic uint64_t *alloc_ring_counter(const struct perf_event_mmap_page *control,
                                                   enum alloc_ring_counter counter)
{
    static_assert(offsetof(struct perf_event_mmap_page, __reserved) % sizeof(uint64_t) == 0, "an aligned counter");
    return (_Atomic uint64_t *)(uintptr_t)control->__reserved + counter;
}

// How much of the ring is in use. False: the reader has passed this head, which another writer has moved meanwhile.
static inline bool alloc_ring_used(uint64_t head, uint64_t tail, uint64_t *used)
{
    *used = head - tail;
    return *used <= ALLOC_RING_BYTES;
}

// The header as the one word that commits its record.
static inline uint64_t alloc_ring_commit_word(struct perf_event_header header)
{
    uint64_t word;
    memcpy(&word, &header, sizeof word);
    return word;
}

// perf_event_header.type, beyond the kernel's.
enum { ALLOC_RECORD_ALLOCATED = 0x10000, ALLOC_RECORD_FREED };

enum alloc_kind {
    ALLOC_HEAP,
    ALLOC_MAPPING,
    ALLOC_SHARED,
    ALLOC_HUGE,
    ALLOC_STACK,
    ALLOC_TLS,
    ALLOC_MOVED,
    ALLOC_KINDS
};

// ALLOC_MOVED: by mremap(2). Its thread tells first of the range that was freed, then of the new one, which is the same
// again if it failed; only the recorder knows whether there was a mapping of the program's data.
// Followed by registers (count of them in header.misc), stack_bytes of stack, and the time (u64). ALLOC_TLS: instead of
// a stack, an address in the module that has the variables (u64).
struct alloc_record {
    struct perf_event_header header;
    uint64_t address, bytes;         // freed: bytes 0 for a heap block, else the range that was unmapped
    uint64_t since;                  // CLOCK_MONOTONIC: when the allocating call began
    uint32_t tid, kind;
    uint32_t stack_bytes;
    uint32_t lost_frees;             // of the process so far, low 32 bits: a loss has its place among the records
};

#endif
