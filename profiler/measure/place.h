// SPDX-License-Identifier: Apache-2.0
// Memory that lies where it was asked for: mapped, bound (mbind), filled, and looked up page by page (move_pages)
// before anything is timed.
#ifndef PROFILER_MEASURE_PLACE_H
#define PROFILER_MEASURE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpulist.h"

enum { PLACE_HUGE_BYTES = 2 << 20 };    // a region starts at a multiple of it

struct place {
    char *base;                 // NULL: not mapped
    size_t bytes;
    void *mapping;              // what munmap wants
    size_t mapped;
    bool is_bound;              // mbind was allowed; else first touch alone decided
    size_t huge_bytes;          // how much of it is made of huge pages, as smaps tells
};

// What move_pages says of a region.
struct place_report {
    size_t pages, right;        // base pages; those on one of the nodes asked for
    size_t least, most;         // of the nodes asked for: pages on the one with the fewest and with the most
};

// nodes: one, or several among which pages take turns. Nothing is touched yet. -ENOMEM: no address space.
int place_map(struct place *place, size_t bytes, const struct cpulist *nodes, bool huge);
void place_unmap(struct place *place);

// Writes one byte of every page of a part; where mbind is forbidden the node of this thread gets them.
void place_touch(const struct place *place, size_t from, size_t until);

// Finds out how much of it is huge pages.
void place_look(struct place *place);

// -EPERM, -ENOSYS: the kernel or a filter does not let us ask.
int place_verify(const struct place *place, const struct cpulist *nodes, struct place_report *report);

#endif
