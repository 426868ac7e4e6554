// SPDX-License-Identifier: Apache-2.0
// STREAM's triad, memory-bound:  triad [SWEEPS]
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 12 << 20 }; // 96 MiB an array: past any shared cache of today but the largest

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 20;
    double *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b), *c = malloc(COUNT * sizeof *c);
    if (!a || !b || !c)
        return 1;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < COUNT; i++) {
        a[i] = 0;
        b[i] = i;
        c[i] = 1;
    }
    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < COUNT; i++)
            a[i] = b[i] + 3 * c[i];
    }
    printf("%g\n", a[COUNT / 2]);
    return 0;
}
