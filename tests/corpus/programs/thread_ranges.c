// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: threads memset ranges of their own in a parallel region, main then fills all, a parallel for uses it: nothing to gain
// fix: none
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void place(double *array, size_t count)
{
#pragma omp parallel
    {
        size_t team = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        size_t from = count * me / team, to = count * (me + 1) / team;
        memset(array + from, 0, (to - from) * sizeof *array);
    }
}

static double *load(size_t count, unsigned seed)
{
    double *array = aligned_alloc(4096, (count * sizeof *array + 4095) / 4096 * 4096);
    place(array, count);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        array[i] = seed >> 16;
    }
    return array;
}

int main(void)
{
    const size_t count = 700000;
    double *x = load(count, 1), *y = load(count, 2), *z = load(count, 3), norm = 0;
    for (int step = 0; step < 14; step++) {
#pragma omp parallel for schedule(static)
        for (size_t i = 1; i < count - 1; i++)
            z[i] = x[i] + 0.5 * (y[i - 1] + y[i + 1]);
#pragma omp parallel for schedule(static) reduction(+ : norm)
        for (size_t i = 1; i < count - 1; i++) {
            y[i] = 0.5 * (y[i] + z[i]);
            norm += y[i] > x[i];
        }
    }
    printf("%.0f\n", norm);
}
