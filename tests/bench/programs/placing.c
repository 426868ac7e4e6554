// SPDX-License-Identifier: Apache-2.0
// placing: allocates blocks of 40 MiB by malloc and by mmap in turn, and prints the microseconds of one of each.
// Nothing is touched: what a page fault costs is the same for both.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { BYTES = 40 << 20, ROUNDS = 200, BLOCKS = 32 }; // too large to be kept when freed: each is made anew

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static __attribute__((noinline)) double by_malloc(void)
{
    void *blocks[BLOCKS];
    double begun = now_us();
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(BYTES);
    double took = now_us() - begun;
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return took / BLOCKS;
}

static __attribute__((noinline)) double by_mmap(void)
{
    void *blocks[BLOCKS];
    double begun = now_us();
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double took = now_us() - begun;
    for (int i = 0; i < BLOCKS; i++)
        munmap(blocks[i], BYTES);
    return took / BLOCKS;
}

static int by_size(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

int main(void)
{
    static double mallocs[ROUNDS], mmaps[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        mallocs[round] = by_malloc();
        mmaps[round] = by_mmap();
    }
    qsort(mallocs, ROUNDS, sizeof *mallocs, by_size);
    qsort(mmaps, ROUNDS, sizeof *mmaps, by_size);
    printf("%.3f %.3f\n", mallocs[ROUNDS / 2], mmaps[ROUNDS / 2]);
    return 0;
}
