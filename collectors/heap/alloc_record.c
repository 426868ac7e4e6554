// SPDX-License-Identifier: Apache-2.0
#include "collectors/heap/alloc_record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "collectors/perf/perf_event.h"

int alloc_record_map(struct perf_ring *ring, int fd)
{
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS); // first: fstat asks who serves the file, and a file of the program's own waits
    if (seals < 0 || !(seals & F_SEAL_SHRINK)) // made shorter later, it would be our SIGBUS
        return -EPERM;
    if (fstat(fd, &status) < 0)
        return -errno;
    if (status.st_size != ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES)
        return -EINVAL;
    return perf_ring_map_untrusted(ring, fd, ALLOC_RING_CONTROL_BYTES, ALLOC_RING_BYTES);
}

static size_t alloc_registers(void)
{
    return (size_t)__builtin_popcountll(PERF_EVENT_REGS_USER);
}

int alloc_record_read(const struct perf_event_header *header, struct alloc_event *event)
{
    struct alloc_record record;
    if (header->size < sizeof record)
        return -EBADMSG;
    memcpy(&record, header, sizeof record);
    size_t register_bytes = record.header.misc * sizeof(uint64_t);
    if (header->size != sizeof record + register_bytes + record.stack_bytes + sizeof(uint64_t) ||
        (register_bytes > 0 && record.header.misc != alloc_registers()))
        return -EBADMSG;
    const char *at = (const char *)header + sizeof record;
    *event = (struct alloc_event){
        .is_freed = record.header.type == ALLOC_RECORD_FREED,
        .kind = record.kind < ALLOC_KINDS ? (enum alloc_kind)record.kind : ALLOC_HEAP,
        .address = record.address,
        .bytes = record.bytes,
        .since = record.since,
        .tid = record.tid,
        .lost_frees = record.lost_frees,
        .where = {.regs = register_bytes > 0 ? (const uint64_t *)at : NULL,
                  .stack = at + register_bytes,
                  .stack_bytes = record.stack_bytes},
    };
    return 0;
}

uint64_t alloc_record_lost(const struct perf_ring *ring)
{
    return atomic_load(alloc_ring_counter(ring->control, ALLOC_LOST));
}

uint32_t alloc_record_lost_frees(const struct perf_ring *ring)
{
    return (uint32_t)atomic_load(alloc_ring_counter(ring->control, ALLOC_LOST_FREES));
}

bool alloc_record_mask(const struct perf_ring *ring, struct cpulist *mask)
{
    memcpy(mask, (const char *)ring->control + ALLOC_RING_MASK, sizeof *mask);
    return cpulist_next(mask, 0) >= 0;
}
