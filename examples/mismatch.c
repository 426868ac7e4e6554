// SPDX-License-Identifier: Apache-2.0
// Filled in parallel, but not as it is used:  mismatch [SWEEPS [MIB]]
//
// The loop that fills runs backwards, so that the last thread gets the first block; the loop that sums runs forwards.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40;
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512, count = (mib << 20) / sizeof(long);
    long *a = malloc(count * sizeof *a), sum = 0;
    if (!a)
        return 1;

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++)
        a[count - 1 - i] = (long)i;

    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += a[i];
    }
    printf("sum %ld: %d sweeps of %zu MiB by %d threads\n", sum, sweeps, mib, omp_get_max_threads());
    free(a);
    return 0;
}
