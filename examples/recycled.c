// SPDX-License-Identifier: Apache-2.0
// The array is filled in parallel, and still lies on one node:  recycled [SWEEPS [BLOCKS]]
//
// Its memory was used before. read_input() ran in one thread and has freed everything, but malloc keeps freed memory,
// pages and all, and calloc hands it out again: the loop that looks like the first touch is not the first.
// The fix needs no change:  MALLOC_MMAP_THRESHOLD_=1000000 ./recycled  gives large blocks fresh pages (mallopt(3)).
#include <stdio.h>
#include <stdlib.h>

// glibc gives blocks of at most 32 MiB from the heap, once one of them has been freed (M_MMAP_THRESHOLD, mallopt(3)).
enum { BLOCK = 24 * 1024 * 1024 / sizeof(long), MOST_BLOCKS = 1000 };

static long *blocks[MOST_BLOCKS];

// Reads as much twice and keeps a few bytes of it. They lie above the rest, so the heap cannot shrink.
static char *read_input(int count)
{
    char *kept = NULL;
    for (int round = 0; round < 2; round++) {
        for (int b = 0; b < count; b++) {
            blocks[b] = malloc(BLOCK * sizeof(long));
            for (size_t i = 0; blocks[b] && i < BLOCK; i++)
                blocks[b][i] = (long)i;
        }
        char *below = kept;
        kept = malloc(1000);
        free(below);
        for (int b = 0; b < count; b++)
            free(blocks[b]);
    }
    return kept;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40, count = argc > 2 ? atoi(argv[2]) : 20;
    if (count < 1 || count > MOST_BLOCKS)
        return 1;
    char *kept = read_input(count);

    for (int b = 0; b < count; b++) {
        blocks[b] = calloc(BLOCK, sizeof(long));
        if (!blocks[b])
            return 1;
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < BLOCK; i++)
            blocks[b][i] = (long)i;
    }

    long sum = 0;
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int b = 0; b < count; b++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
            for (size_t i = 0; i < BLOCK; i++)
                sum += blocks[b][i];
        }
    printf("sum %ld: %d sweeps of %d blocks of 24 MiB\n", sum, sweeps, count);
    for (int b = 0; b < count; b++)
        free(blocks[b]);
    free(kept);
    return 0;
}
