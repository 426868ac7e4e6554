// SPDX-License-Identifier: Apache-2.0
// Reads the rings of alloc_ring.h. Everything in them is under the target's control.
#ifndef COLLECTORS_HEAP_ALLOC_RECORD_H
#define COLLECTORS_HEAP_ALLOC_RECORD_H

#include "collectors/perf/perf_record.h"
#include "collectors/perf/perf_ring.h"
#include "collectors/protocol/alloc_ring.h"

// A record as a sample of where the block was asked for: ip, regs, stack are set where there was a stack.
struct alloc_event {
    bool is_freed;
    enum alloc_kind kind;
    uint64_t address, bytes, since;
    uint32_t tid;                    // in the process's own pid namespace
    uint32_t lost_frees;             // frees of the process that were lost before it was written, low 32 bits
    struct perf_sample where;
};

// Only the time stands at the end of each record.
#define ALLOC_LAYOUT ((struct perf_layout){.sample_type = PERF_SAMPLE_TIME})

// Maps the ring that a process sent. -EINVAL: it is not as large as it must be.
int alloc_record_map(struct perf_ring *ring, int fd);

// -EBADMSG: not a record, or one that contradicts itself.
int alloc_record_read(const struct perf_event_header *header, struct alloc_event *event);

// How many there was no room for.
// The affinity mask that the process says it inherited; false: none.
bool alloc_record_mask(const struct perf_ring *ring, struct cpulist *mask);
uint64_t alloc_record_lost(const struct perf_ring *ring);

// How many of these were frees, as the records have it: low 32 bits.
uint32_t alloc_record_lost_frees(const struct perf_ring *ring);

#endif
