// SPDX-License-Identifier: Apache-2.0
// How large the measured memory is: well past the caches, and never more than the machine can spare.
#ifndef PROFILER_MEASURE_MEMORY_MEMORY_EXTENT_H
#define PROFILER_MEASURE_MEMORY_MEMORY_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/topology/cpulist.h"
#include "core/topology/topology.h"

enum { MEMORY_EXTENT_UNIT = 4 << 20 }; // a region's bytes are a multiple: of huge pages, of walks, of chunks

struct memory_extent {
    size_t bytes;               // of the region; half of it is walked and written, half is read
    int64_t wanted, spare;      // what the caches ask for; what the memory of these nodes and our limits leave
    bool is_short;              // less than wanted, but it will do
};

// Largest last-level cache of a node with CPUs; -1 unknown.
int64_t memory_extent_cache(const struct topology *t);

// Half of what is free on the nodes (each holds its share) and below the memory limit of our control groups.
int64_t memory_extent_spare(const struct topology *t, const char *root, const struct cpulist *nodes);

// asked: the user's size or 0. Two thirds of the spare memory go into the region: a second one of half its size
// follows. -ENOMEM: what can be spared is not well past the caches; the fields say why.
int memory_extent_choose(struct memory_extent *extent, const struct topology *t, int64_t spare, int64_t asked,
                         bool emulated);

#endif
