// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RING_RECORD_MAX = 1 << 16 }; // perf_event_header.size has 16 bits

int perf_ring_map(struct perf_ring *ring, int fd, size_t data_pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *joined = malloc(RING_RECORD_MAX);
    if (!joined)
        return -ENOMEM;
    size_t mapped = (data_pages + 1) * page;
    char *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED) {
        int status = -errno;
        free(joined);
        return status;
    }
    *ring = (struct perf_ring){
        .control = (struct perf_event_mmap_page *)base,
        .data = base + page, // the control page comes first
        .bytes = data_pages * page,
        .joined = joined,
        .mapped_bytes = mapped,
    };
    return 0;
}

void perf_ring_unmap(struct perf_ring *ring)
{
    if (ring->control)
        munmap(ring->control, ring->mapped_bytes);
    free(ring->joined);
    *ring = (struct perf_ring){0};
}

void perf_ring_refresh(struct perf_ring *ring)
{
    // Acquire: the records before data_head are read after it (perf_event.h at data_head asks for a read barrier).
    ring->head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *perf_ring_front(struct perf_ring *ring)
{
    if (ring->next >= ring->head)
        return NULL;
    uint64_t at = ring->next & (ring->bytes - 1), left = ring->bytes - at;
    const struct perf_event_header *header = (const struct perf_event_header *)(ring->data + at); // 8-aligned: never wraps
    uint64_t size = header->size;
    if (size < sizeof *header || size > ring->head - ring->next) {
        ring->next = ring->head; // not a record: nothing behind it can be trusted
        return NULL;
    }
    if (size <= left)
        return header;
    memcpy(ring->joined, ring->data + at, left);
    memcpy(ring->joined + left, ring->data, size - left);
    return (const struct perf_event_header *)ring->joined;
}

void perf_ring_skip(struct perf_ring *ring)
{
    const struct perf_event_header *header =
        (const struct perf_event_header *)(ring->data + (ring->next & (ring->bytes - 1)));
    ring->next += header->size;
}

void perf_ring_release(struct perf_ring *ring)
{
    // Release: our reads are over before the kernel may write there again (perf_event.h at data_tail).
    __atomic_store_n(&ring->control->data_tail, ring->next, __ATOMIC_RELEASE);
}
