// SPDX-License-Identifier: Apache-2.0
// placing: makes blocks of 40 MiB by malloc, by mmap, and by mmap with the policies of four pieces, in turn, and prints
// the microseconds of one of each. The latter two are bare system calls. Nothing is touched: what a page fault costs is
// the same for all.
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 40 << 20, ROUNDS = 200, BLOCKS = 32, PIECES = 4 }; // too large to be kept when freed

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void *map(void)
{
    return (void *)syscall(SYS_mmap, NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
}

static void unmap(void *block)
{
    syscall(SYS_munmap, block, BYTES);
}

static void *map_pieces(void)
{
    const unsigned long node_0 = 1, piece = BYTES / PIECES;
    char *block = map();
    for (unsigned long i = 0; i < PIECES; i++)
        syscall(SYS_mbind, block + i * piece, piece, MPOL_PREFERRED, &node_0, 8 * sizeof node_0, 0UL);
    return block;
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

static double by_kernel(void *(*make)(void))
{
    void *blocks[BLOCKS];
    double begun = now_us();
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = make();
    double took = now_us() - begun;
    for (int i = 0; i < BLOCKS; i++)
        unmap(blocks[i]);
    return took / BLOCKS;
}

static int by_size(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static double median(double *times)
{
    qsort(times, ROUNDS, sizeof *times, by_size);
    return times[ROUNDS / 2];
}

int main(void)
{
    static double mallocs[ROUNDS], maps[ROUNDS], pieces[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        mallocs[round] = by_malloc();
        maps[round] = by_kernel(map);
        pieces[round] = by_kernel(map_pieces);
    }
    printf("%.3f %.3f %.3f\n", median(mallocs), median(maps), median(pieces));
    return 0;
}
