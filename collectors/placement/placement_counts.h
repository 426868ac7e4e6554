// SPDX-License-Identifier: Apache-2.0
// What became of a placement file: counters in shared memory that the preload library of every process of a run adds to
// and numaprof prints. A process may write anything here; the reader shows the numbers and relies on none.
#ifndef COLLECTORS_PLACEMENT_PLACEMENT_COUNTS_H
#define COLLECTORS_PLACEMENT_PLACEMENT_COUNTS_H

#include <stdatomic.h>
#include <stdint.h>

#include "collectors/placement/placement_file.h"

// One subject of the file. Bytes are those the program asked for.
struct placement_count {
    _Atomic uint64_t asked, asked_bytes;     // allocations that the subject describes
    _Atomic uint64_t placed, placed_bytes;   // that got their policy before the first touch
    _Atomic uint64_t refused;                // that did not, and were left to the program's allocator
    _Atomic uint64_t moved_bytes;            // placed beside the asked border, by rounding to whole pages
    _Atomic uint64_t extra_bytes;            // memory beyond the program's request
    _Atomic uint64_t checked_blocks;         // the first ones; looked up when freed or when the process ended
    _Atomic uint64_t checked_bytes;          // of these, touched
    _Atomic uint64_t right_bytes;            // of these, on the asked node
    _Atomic uint32_t error;                  // errno of the last refusal
    _Atomic uint32_t without_weights;        // the kernel has no weighted interleave: interleaved evenly
};

struct placement_counts {
    _Atomic uint32_t processes;              // that read the file
    _Atomic uint32_t unreadable;             // that could not
    _Atomic uint32_t target;                 // pid of the first process that read it
    _Atomic uint32_t bypassed;               // whose own malloc stands before the preload library's
    _Atomic uint32_t slot_users[PLACEMENT_CPUS]; // threads that sit on each CPU of the file's pin order
    struct placement_count subjects[PLACEMENT_SUBJECTS];
};

#endif
