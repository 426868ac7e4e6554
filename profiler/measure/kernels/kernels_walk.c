// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/kernels/kernels_walk.h"

#include "core/util/table.h"

// A Feistel network over pairs (column, row): rounds that add to one number a hash of the other make a permutation of
// any number of lines that is a multiple of the columns. Having the inverse too, a walk is written in the order of
// memory, without a table and without a miss for every line. With four rounds short strides are too frequent in small
// regions.
enum {
    KERNELS_WALK_COLUMNS =
        KERNELS_WALK_UNIT / (int)sizeof(struct kernels_walk_line), // so that any region divides by it
    KERNELS_WALK_ROUNDS = 6,
    KERNELS_WALK_WINDOW_LINES = 4096 / (int)sizeof(struct kernels_walk_line),
    KERNELS_WALK_WINDOW_COLUMNS = 8,
};
_Static_assert(sizeof(struct kernels_walk_line) == 64, "one line of memory");

// Below the limit: the high half of a product, which is far cheaper than a remainder.
static inline size_t kernels_walk_hash(uint64_t seed, int round, size_t number, size_t limit)
{
    return (size_t)((unsigned __int128)table_mix(seed + (uint64_t)round, number) * limit >> 64);
}

static inline size_t kernels_walk_add(size_t a, size_t b, size_t modulus)
{
    return a + b < modulus ? a + b : a + b - modulus;
}

static inline size_t kernels_walk_mix(size_t number, size_t columns, size_t rows, uint64_t seed)
{
    size_t column = number % columns, row = number / columns;
    for (int round = 0; round < KERNELS_WALK_ROUNDS; round += 2) {
        column = kernels_walk_add(column, kernels_walk_hash(seed, round, row, columns), columns);
        row = kernels_walk_add(row, kernels_walk_hash(seed, round + 1, column, rows), rows);
    }
    return row * columns + column;
}

static inline size_t kernels_walk_unmix(size_t number, size_t columns, size_t rows, uint64_t seed)
{
    size_t column = number % columns, row = number / columns;
    for (int round = KERNELS_WALK_ROUNDS - 2; round >= 0; round -= 2) {
        row = kernels_walk_add(row, rows - kernels_walk_hash(seed, round + 1, column, rows), rows);
        column = kernels_walk_add(column, columns - kernels_walk_hash(seed, round, row, columns), columns);
    }
    return row * columns + column;
}

typedef size_t kernels_walk_mixing(size_t number, size_t columns, size_t rows, uint64_t seed);

// In the whole region, or within each page. Pages have orders of their own, so that no prefetcher learns one.
static inline size_t kernels_walk_map(kernels_walk_mixing *mix, enum kernels_walk_order order, size_t lines,
                                      size_t number)
{
    enum { ROWS = KERNELS_WALK_WINDOW_LINES / KERNELS_WALK_WINDOW_COLUMNS };
    if (order == KERNELS_WALK_RANDOM)
        return mix(number, KERNELS_WALK_COLUMNS, lines / KERNELS_WALK_COLUMNS, 0);
    const size_t window = number / KERNELS_WALK_WINDOW_LINES;
    return window * KERNELS_WALK_WINDOW_LINES + mix(number % KERNELS_WALK_WINDOW_LINES, KERNELS_WALK_WINDOW_COLUMNS,
                                                    ROWS, (window + 1) * KERNELS_WALK_ROUNDS);
}

size_t kernels_walk_position(enum kernels_walk_order order, size_t lines, size_t rank)
{
    return kernels_walk_map(kernels_walk_mix, order, lines, rank);
}

size_t kernels_walk_rank(enum kernels_walk_order order, size_t lines, size_t position)
{
    return kernels_walk_map(kernels_walk_unmix, order, lines, position);
}

void kernels_walk_write(struct kernels_walk_line *region, size_t lines, enum kernels_walk_order order, size_t from,
                        size_t until)
{
    for (size_t position = from; position < until; position++) {
        size_t rank = kernels_walk_rank(order, lines, position);
        region[position].rank = rank;
        region[position].next = region + kernels_walk_position(order, lines, (rank + 1) % lines);
    }
}

const struct kernels_walk_line *kernels_walk_go(const struct kernels_walk_line *line, size_t steps)
{
    for (; steps > 0; steps -= KERNELS_WALK_STRIDE) {
#pragma GCC unroll 16
        for (int i = 0; i < KERNELS_WALK_STRIDE; i++) {
            line = line->next;
            __asm__ volatile("" : "+r"(line)); // the compiler does not know what was loaded
        }
    }
    return line;
}

const struct kernels_walk_line *kernels_walk_go_pausing(const struct kernels_walk_line *line, size_t steps)
{
    uintptr_t at = (uintptr_t)line, nothing = 0;
    __asm__ volatile("" : "+r"(nothing)); // the compiler does not know that it is 0
    for (; steps > 0; steps--) {
        at = (uintptr_t)((const struct kernels_walk_line *)at)->next;
#pragma GCC unroll 128
        for (int i = 0; i < KERNELS_WALK_PAUSE; i++) {
            at += nothing;
            __asm__ volatile("" : "+r"(at));
        }
    }
    return (const struct kernels_walk_line *)at;
}

bool kernels_walk_is_right(uint64_t from, uint64_t steps, uint64_t to, size_t lines)
{
    return (from + steps) % lines == to;
}
