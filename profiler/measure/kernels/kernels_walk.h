// SPDX-License-Identifier: Apache-2.0
// Walks for latency: every line of a region holds the address of the next line, so that a load cannot start before the
// previous load has ended. A walk visits each line once before it returns to the first.
#ifndef PROFILER_MEASURE_KERNELS_KERNELS_WALK_H
#define PROFILER_MEASURE_KERNELS_KERNELS_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernels_walk_line {
    struct kernels_walk_line *next;
    uint64_t rank;              // 0 to lines - 1 along the walk: tells how far a walk has come
    char rest[48];
};

enum kernels_walk_order {
    KERNELS_WALK_RANDOM,                // over the whole region
    KERNELS_WALK_WINDOW,                // page by page of 4 KiB, at random within: the address translation costs little
};

enum { KERNELS_WALK_UNIT = 64 * 1024 }; // bytes; a region is a multiple of it

// Position of the line that a walk visits as the rank-th, in a region of that many lines.
size_t kernels_walk_position(enum kernels_walk_order order, size_t lines, size_t rank);
// The inverse.
size_t kernels_walk_rank(enum kernels_walk_order order, size_t lines, size_t position);

// Writes lines from to until (positions) of a region: the parts may be written one after the other.
void kernels_walk_write(struct kernels_walk_line *region, size_t lines, enum kernels_walk_order order, size_t from,
                        size_t until);

// Moves on by steps lines; steps is a multiple of KERNELS_WALK_STRIDE.
enum { KERNELS_WALK_STRIDE = 16 };
const struct kernels_walk_line *kernels_walk_go(const struct kernels_walk_line *line, size_t steps);

// The same with KERNELS_WALK_PAUSE dependent additions after every load, during which the memory is idle.
enum { KERNELS_WALK_PAUSE = 128 };
const struct kernels_walk_line *kernels_walk_go_pausing(const struct kernels_walk_line *line, size_t steps);

// Whether that many steps from one rank end at another.
bool kernels_walk_is_right(uint64_t from, uint64_t steps, uint64_t to, size_t lines);

#endif
