// SPDX-License-Identifier: Apache-2.0
// The memory of one row of the matrix, ready to be timed. Its first half is written and walked, its second half is
// read: there every 64-bit word is its own index, so that a loop that left something out is found out.
#ifndef PROFILER_MEASURE_MEMORY_MEMORY_REGION_H
#define PROFILER_MEASURE_MEMORY_MEMORY_REGION_H

#include <stdatomic.h>

#include "core/topology/topology.h"
#include "profiler/measure/kernels/kernels_walk.h"
#include "profiler/measure/memory/memory_bound.h"
#include "profiler/measure/result/result.h"

struct memory_region {
    const struct topology *t;
    struct cpulist nodes;       // whose memory this is
    const char *name;           // for notes: "node 3", "interleaved memory"
    const atomic_bool *stop;
    struct memory_bound bound;
    bool has_come;              // this thread moved to a CPU of the memory's node ...
    struct cpulist before;      // ... and goes back to these
    size_t walk_bytes;          // of the first bytes: what a walk goes through
};

// Maps, touches and verifies. 0; -EINTR; else it cannot be had, and a note in the result says why.
// huge: a main region, of huge pages if possible; else one of 4 KiB pages, all of which is there to be walked.
int memory_region_open(struct memory_region *region, size_t bytes, bool huge, struct result *result);
void memory_region_close(struct memory_region *region);
// Verifies once more: whether automatic balancing or anything else has moved pages. A note says so.
void memory_region_recheck(struct memory_region *region, struct result *result);

size_t memory_region_half(const struct memory_region *region);
// Makes every word of the second half its own index.
int memory_region_fill(struct memory_region *region);
// Writes the walk.
int memory_region_walk(struct memory_region *region, enum kernels_walk_order order);
// Nothing of the region is in any cache afterwards; a note says so where that cannot be done.
int memory_region_empty_caches(struct memory_region *region, struct result *result);
// The next best, for the caches of this CPU only: reads bytes that are not needed.
void memory_region_push_out(const struct memory_bound *bound, size_t from, size_t until);

#endif
