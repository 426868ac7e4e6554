// SPDX-License-Identifier: Apache-2.0
// As examples/sum_parallel, but of floating point numbers:  sum_doubles SWEEPS MIB
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int sweeps = atoi(argv[1]);
    size_t count = (strtoul(argv[2], NULL, 10) << 20) / sizeof(double);
    double *a = malloc(count * sizeof *a), sum = 0;
    if (!a)
        return 1;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++)
        a[i] = (double)i;

    double start = omp_get_wtime();
    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += a[i];
    }
    printf("sum %g in %.3f s\n", sum, omp_get_wtime() - start);
    free(a);
    return 0;
}
