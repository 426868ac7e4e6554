// SPDX-License-Identifier: Apache-2.0
// The ring buffer that the kernel shares with the reader of a perf event (perf_event_open(2), "MMAP layout").
#ifndef COLLECTORS_PERF_PERF_RING_H
#define COLLECTORS_PERF_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_ring {
    struct perf_event_mmap_page *control;
    char *data;
    uint64_t bytes;       // of data, a power of two
    uint64_t head;        // how far the kernel had written at perf_ring_refresh
    uint64_t next;        // first byte that perf_ring_next has not passed yet
    char *joined;         // room for one record that wraps around the end (64 KiB, the largest there is)
    uint64_t front_bytes; // size of the record at the front
    // A target writes it (alloc_ring.h): records are copied before they are looked at, then zeroed.
    bool untrusted;
    size_t mapped_bytes;
};

// Maps the ring of fd with data_pages (a power of two). -EPERM: the locked-memory allowance is used up.
int perf_ring_map(struct perf_ring *ring, int fd, size_t data_pages);
// Maps memory that a target made in the form of a ring: control_bytes, then data_bytes (a power of two).
int perf_ring_map_untrusted(struct perf_ring *ring, int fd, size_t control_bytes, size_t data_bytes);
void perf_ring_unmap(struct perf_ring *ring);

// Looks how far the kernel has come.
void perf_ring_refresh(struct perf_ring *ring);

// Whether the kernel has written what has not been passed.
bool perf_ring_has_more(const struct perf_ring *ring);

// The record at the front, in one piece, or NULL; valid until the next call for this ring. perf_ring_skip passes it.
const struct perf_event_header *perf_ring_front(struct perf_ring *ring);
void perf_ring_skip(struct perf_ring *ring);

// Gives everything passed back to the kernel.
void perf_ring_release(struct perf_ring *ring);

#endif
