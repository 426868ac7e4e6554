// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/walk.h"

#include "core/table.h"

// A Feistel network over pairs (column, row): rounds that add to one number a hash of the other make a permutation of
// any number of lines that is a multiple of the columns. Having the inverse too, a walk is written in the order of
// memory, without a table and without a miss for every line. With four rounds short strides are too frequent in small
// regions.
enum {
    WALK_COLUMNS = WALK_UNIT / (int)sizeof(struct walk_line), // so that any region divides by it
    WALK_ROUNDS = 6,
    WALK_WINDOW_LINES = 4096 / (int)sizeof(struct walk_line),
    WALK_WINDOW_COLUMNS = 8,
};
_Static_assert(sizeof(struct walk_line) == 64, "one line of memory");

// Below the limit: the high half of a product, which is far cheaper than a remainder.
static inline size_t walk_hash(uint64_t seed, int round, size_t number, size_t limit)
{
    return (size_t)((unsigned __int128)table_mix(seed + (uint64_t)round, number) * limit >> 64);
}

static inline size_t walk_add(size_t a, size_t b, size_t modulus)
{
    return a + b < modulus ? a + b : a + b - modulus;
}

static inline size_t walk_mix(size_t number, size_t columns, size_t rows, uint64_t seed)
{
    size_t column = number % columns, row = number / columns;
    for (int round = 0; round < WALK_ROUNDS; round += 2) {
        column = walk_add(column, walk_hash(seed, round, row, columns), columns);
        row = walk_add(row, walk_hash(seed, round + 1, column, rows), rows);
    }
    return row * columns + column;
}

static inline size_t walk_unmix(size_t number, size_t columns, size_t rows, uint64_t seed)
{
    size_t column = number % columns, row = number / columns;
    for (int round = WALK_ROUNDS - 2; round >= 0; round -= 2) {
        row = walk_add(row, rows - walk_hash(seed, round + 1, column, rows), rows);
        column = walk_add(column, columns - walk_hash(seed, round, row, columns), columns);
    }
    return row * columns + column;
}

// Pages have orders of their own, so that no prefetcher learns one.
static inline uint64_t walk_seed(size_t window)
{
    return (window + 1) * WALK_ROUNDS;
}

size_t walk_position(enum walk_order order, size_t lines, size_t rank)
{
    if (order == WALK_RANDOM)
        return walk_mix(rank, WALK_COLUMNS, lines / WALK_COLUMNS, 0);
    size_t window = rank / WALK_WINDOW_LINES;
    return window * WALK_WINDOW_LINES + walk_mix(rank % WALK_WINDOW_LINES, WALK_WINDOW_COLUMNS,
                                                 WALK_WINDOW_LINES / WALK_WINDOW_COLUMNS, walk_seed(window));
}

size_t walk_rank(enum walk_order order, size_t lines, size_t position)
{
    if (order == WALK_RANDOM)
        return walk_unmix(position, WALK_COLUMNS, lines / WALK_COLUMNS, 0);
    size_t window = position / WALK_WINDOW_LINES;
    return window * WALK_WINDOW_LINES + walk_unmix(position % WALK_WINDOW_LINES, WALK_WINDOW_COLUMNS,
                                                   WALK_WINDOW_LINES / WALK_WINDOW_COLUMNS, walk_seed(window));
}

void walk_write(struct walk_line *region, size_t lines, enum walk_order order, size_t from, size_t until)
{
    for (size_t position = from; position < until; position++) {
        size_t rank = walk_rank(order, lines, position);
        region[position].rank = rank;
        region[position].next = region + walk_position(order, lines, (rank + 1) % lines);
    }
}

const struct walk_line *walk_go(const struct walk_line *line, size_t steps)
{
    for (; steps > 0; steps -= WALK_STRIDE) {
#pragma GCC unroll 16
        for (int i = 0; i < WALK_STRIDE; i++) {
            line = line->next;
            __asm__ volatile("" : "+r"(line)); // the compiler does not know what was loaded
        }
    }
    return line;
}

const struct walk_line *walk_go_pausing(const struct walk_line *line, size_t steps)
{
    uintptr_t at = (uintptr_t)line, nothing = 0;
    __asm__ volatile("" : "+r"(nothing)); // the compiler does not know that it is 0
    for (; steps > 0; steps--) {
        at = (uintptr_t)((const struct walk_line *)at)->next;
#pragma GCC unroll 128
        for (int i = 0; i < WALK_PAUSE; i++) {
            at += nothing;
            __asm__ volatile("" : "+r"(at));
        }
    }
    return (const struct walk_line *)at;
}

bool walk_is_right(uint64_t from, uint64_t steps, uint64_t to, size_t lines)
{
    return (from + steps) % lines == to;
}
