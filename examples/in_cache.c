// SPDX-License-Identifier: Apache-2.0
// Every thread works on 64 KiB of its own, which stay in its cache:  in_cache [SWEEPS]
//
// One thread fills all the blocks, so half of them lie on the wrong node. It does not matter: after the first sweep
// nobody asks memory for them again. There is nothing to gain here.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 64 * 1024 / sizeof(long) };

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 100000, threads = omp_get_max_threads();
    size_t count = (size_t)threads * BLOCK;
    long *a = malloc(count * sizeof *a), sum = 0;
    if (!a)
        return 1;
    for (size_t i = 0; i < count; i++)
        a[i] = (long)i;

#pragma omp parallel reduction(+ : sum)
    {
        const long *block = a + (size_t)omp_get_thread_num() * BLOCK;
        for (int sweep = 0; sweep < sweeps; sweep++)
            for (size_t i = 0; i < BLOCK; i++)
                sum += block[i] ^ sweep;
    }
    printf("sum %ld: %d sweeps of 64 KiB by each of %d threads\n", sum, sweeps, threads);
    free(a);
    return 0;
}
