// SPDX-License-Identifier: Apache-2.0
// Sums an array again and again, all threads together:  sum_serial|sum_parallel [SWEEPS [MIB]]
// A page of memory comes from the node of the thread that first writes to it. sum_serial fills the whole array from one
// thread, so it all lies on one node. sum_parallel (PARALLEL_INIT) fills it from the threads that will read it.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40, threads = 0;
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512, count = (mib << 20) / sizeof(long);
    long *a = malloc(count * sizeof *a), sum = 0;
    if (!a)
        return 1;
#pragma omp parallel reduction(+ : threads)
    threads++; // the team starts before the array is filled: from here on main sits where it will stay
#ifdef PARALLEL_INIT
#pragma omp parallel for schedule(static)
#endif
    for (size_t i = 0; i < count; i++)
        a[i] = (long)i;

    double start = omp_get_wtime();
    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += a[i];
    }
    printf("sum %ld: %d sweeps of %zu MiB by %d threads in %.2f s\n", sum, sweeps, mib, threads,
           omp_get_wtime() - start);
    free(a);
    return 0;
}
