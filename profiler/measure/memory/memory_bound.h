// SPDX-License-Identifier: Apache-2.0
// Memory that lies where it was asked for: mapped, bound (mbind), filled, and looked up page by page (move_pages)
// before anything is timed.
#ifndef PROFILER_MEASURE_MEMORY_MEMORY_BOUND_H
#define PROFILER_MEASURE_MEMORY_MEMORY_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/topology/cpulist.h"

enum { MEMORY_BOUND_HUGE_BYTES = 2 << 20 };    // a region starts at a multiple of it

struct memory_bound {
    char *base;                 // NULL: not mapped
    size_t bytes;
    void *mapping;              // what munmap wants
    size_t mapped;
    bool is_bound;              // mbind was allowed; else first touch alone decided
    size_t huge_bytes;          // how much of it is made of huge pages, as smaps tells
};

// What move_pages says of a region.
struct memory_bound_report {
    size_t pages, right;        // base pages; those on one of the nodes asked for
    size_t least, most;         // of the nodes asked for: pages on the one with the fewest and with the most
};

// nodes: one, or several among which pages take turns. Nothing is touched yet. -ENOMEM: no address space.
int memory_bound_map(struct memory_bound *bound, size_t bytes, const struct cpulist *nodes, bool huge);
void memory_bound_unmap(struct memory_bound *bound);

// Writes one byte of every page of a part; where mbind is forbidden the node of this thread gets them.
void memory_bound_touch(const struct memory_bound *bound, size_t from, size_t until);

// Finds out how much of it is huge pages.
void memory_bound_look(struct memory_bound *bound);

// -EPERM, -ENOSYS: the kernel or a filter does not let us ask.
int memory_bound_verify(const struct memory_bound *bound, const struct cpulist *nodes,
                        struct memory_bound_report *report);

#endif
