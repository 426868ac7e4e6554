// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: two boards of bits that fit into the caches, rows by threads of POSIX in step: nothing to gain
// fix: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, ROWS = 1024, WORDS = 16, GENERATIONS = 120 };

static uint64_t (*board)[WORDS], (*other)[WORDS];
static pthread_barrier_t step;

static void add(uint64_t cells, uint64_t *ones, uint64_t *twos, uint64_t *fours)
{
    uint64_t carry = *ones & cells;
    *ones ^= cells;
    *fours |= *twos & carry;
    *twos ^= carry;
}

static uint64_t evolve(const uint64_t *above, const uint64_t *row, const uint64_t *below, int w)
{
    uint64_t ones = 0, twos = 0, fours = 0;
    const uint64_t *rows[3] = {above, row, below};
    for (int r = 0; r < 3; r++) {
        uint64_t mid = rows[r][w], left = mid << 1 | rows[r][(w + WORDS - 1) % WORDS] >> 63;
        uint64_t right = mid >> 1 | rows[r][(w + 1) % WORDS] << 63;
        add(left, &ones, &twos, &fours);
        add(right, &ones, &twos, &fours);
        if (r != 1)
            add(mid, &ones, &twos, &fours);
    }
    return ~fours & twos & (ones | row[w]);
}

static void *live(void *argument)
{
    int me = (int)(size_t)argument;
    uint64_t(*from)[WORDS] = board, (*to)[WORDS] = other;
    for (int g = 0; g < GENERATIONS; g++) {
        for (int r = ROWS * me / THREADS; r < ROWS * (me + 1) / THREADS; r++)
            for (int w = 0; w < WORDS; w++)
                to[r][w] = evolve(from[(r + ROWS - 1) % ROWS], from[r], from[(r + 1) % ROWS], w);
        pthread_barrier_wait(&step);
        uint64_t(*old)[WORDS] = from;
        from = to;
        to = old;
    }
    return NULL;
}

int main(void)
{
    board = malloc(sizeof(uint64_t[ROWS][WORDS]));
    other = calloc(ROWS, sizeof *other);
    uint64_t seed = 88172645463325252u;
    for (int r = 0; r < ROWS; r++)
        for (int w = 0; w < WORDS; w++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            board[r][w] = seed;
        }
    pthread_barrier_init(&step, NULL, THREADS);
    pthread_t team[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&team[t], NULL, live, (void *)t);
    for (size_t t = 0; t < THREADS; t++)
        pthread_join(team[t], NULL);
    long alive = 0;
    for (int r = 0; r < ROWS; r++)
        for (int w = 0; w < WORDS; w++)
            alive += __builtin_popcountll(board[r][w]);
    printf("%ld\n", alive);
}
