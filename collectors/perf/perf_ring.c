// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/perf_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RING_RECORD_MAX = 1 << 16 }; // perf_event_header.size has 16 bits

static int perf_ring_map_memory(struct perf_ring *ring, int fd, size_t control_bytes, size_t data_bytes)
{
    char *joined = malloc(RING_RECORD_MAX);
    if (!joined)
        return -ENOMEM;
    size_t mapped = control_bytes + data_bytes;
    char *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED) {
        int status = -errno;
        free(joined);
        return status;
    }
    *ring = (struct perf_ring){
        .control = (struct perf_event_mmap_page *)base,
        .data = base + control_bytes,
        .bytes = data_bytes,
        .joined = joined,
        .mapped_bytes = mapped,
    };
    return 0;
}

int perf_ring_map(struct perf_ring *ring, int fd, size_t data_pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return perf_ring_map_memory(ring, fd, page, data_pages * page);
}

int perf_ring_map_untrusted(struct perf_ring *ring, int fd, size_t control_bytes, size_t data_bytes)
{
    int status = perf_ring_map_memory(ring, fd, control_bytes, data_bytes);
    ring->untrusted = status == 0;
    return status;
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

bool perf_ring_has_more(const struct perf_ring *ring)
{
    return __atomic_load_n(&ring->control->data_head, __ATOMIC_RELAXED) != ring->next;
}

// Copies size bytes from the front into one piece.
static void perf_ring_join(const struct perf_ring *ring, uint64_t size)
{
    uint64_t at = ring->next & (ring->bytes - 1), left = ring->bytes - at;
    uint64_t first = size < left ? size : left;
    memcpy(ring->joined, ring->data + at, first);
    memcpy(ring->joined + first, ring->data, size - first);
}

// Nothing behind a broken record can be trusted. A target whose ring is read this way gets it back empty.
static const struct perf_event_header *perf_ring_give_up(struct perf_ring *ring)
{
    if (ring->untrusted)
        memset(ring->data, 0, ring->bytes);
    ring->next = ring->head;
    return NULL;
}

const struct perf_event_header *perf_ring_front(struct perf_ring *ring)
{
    if (ring->next >= ring->head)
        return NULL;
    // Records begin at multiples of 8, so a header never wraps. It is read once: others may write it.
    struct perf_event_header header;
    uint64_t at = ring->next & (ring->bytes - 1), written = ring->head - ring->next;
    if (at % sizeof header != 0 || written > ring->bytes)
        return perf_ring_give_up(ring);
    // Acquire: the header of an untrusted ring commits its record. Not committed yet: a writer is at work.
    uint64_t word = __atomic_load_n((const uint64_t *)(const void *)(ring->data + at), __ATOMIC_ACQUIRE);
    if (word == 0 && ring->untrusted)
        return NULL;
    memcpy(&header, &word, sizeof header);
    uint64_t size = header.size;
    if (size < sizeof header || size % 8 != 0 || size > written)
        return perf_ring_give_up(ring);
    ring->front_bytes = size;
    if (size <= ring->bytes - at && !ring->untrusted)
        return (const struct perf_event_header *)(ring->data + at);
    perf_ring_join(ring, size);
    memcpy(ring->joined, &header, sizeof header);
    return (const struct perf_event_header *)ring->joined;
}

// For the writers of an untrusted ring, which commit a record by its header.
static void perf_ring_zero_front(const struct perf_ring *ring)
{
    uint64_t at = ring->next & (ring->bytes - 1), left = ring->bytes - at;
    uint64_t first = ring->front_bytes < left ? ring->front_bytes : left;
    memset(ring->data + at, 0, first);
    memset(ring->data, 0, ring->front_bytes - first);
}

void perf_ring_skip(struct perf_ring *ring)
{
    if (ring->untrusted)
        perf_ring_zero_front(ring);
    ring->next += ring->front_bytes;
}

void perf_ring_release(struct perf_ring *ring)
{
    // Release: our reads are over before the kernel may write there again (perf_event.h at data_tail).
    __atomic_store_n(&ring->control->data_tail, ring->next, __ATOMIC_RELEASE);
}
