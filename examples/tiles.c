// SPDX-License-Identifier: Apache-2.0
// A matrix in tiles, rows of 2 MiB: of each row the left half belongs to one thread, the right half to another one on
// the other node:  tiles [SWEEPS [ROWS]]
//
// Each thread fills its own tiles. With huge pages the first of the two brings in the whole row, on its own node.
#define _GNU_SOURCE // MADV_HUGEPAGE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ROW = (2 << 20) / sizeof(long), HALF = ROW / 2 };

static long *a;
static int rows;

// Thread t has the left half of every n-th row if t < n = threads / 2, else the right half.
static long sweep_tiles(int thread, int threads, int fill)
{
    int across = threads / 2;
    long sum = 0;
    for (int row = thread % across; row < rows; row += across) {
        long *tile = a + (size_t)row * ROW + (thread < across ? 0 : HALF);
        for (int i = 0; i < HALF; i++)
            if (fill)
                tile[i] = i;
            else
                sum += tile[i];
    }
    return sum;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40, threads = omp_get_max_threads() & ~1;
    rows = argc > 2 ? atoi(argv[2]) : 256;
    long sum = 0;
    a = aligned_alloc(2 << 20, (size_t)rows * ROW * sizeof *a);
    if (!a || threads < 2)
        return 1;
    madvise(a, (size_t)rows * ROW * sizeof *a, MADV_HUGEPAGE);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        sweep_tiles(omp_get_thread_num(), threads, 1);
        for (int sweep = 0; sweep < sweeps; sweep++)
            sum += sweep_tiles(omp_get_thread_num(), threads, 0);
    }
    printf("sum %ld: %d sweeps of %d rows of 2 MiB by %d threads\n", sum, sweeps, rows, threads);
    free(a);
    return 0;
}
