// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: input is set in parallel as it is read, each thread has bins of its own, main adds them once: nothing to gain
// fix: none
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const size_t n = 2500000, bins = 60000;
    uint32_t *keys = malloc(n * sizeof *keys);
    int threads = omp_get_max_threads();
    double *copies = calloc((size_t)threads * bins, sizeof *copies), *total = calloc(bins, sizeof *total);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint32_t)((i * 2654435761u) % bins);
    for (int step = 0; step < 3; step++) {
#pragma omp parallel
        {
            double *mine = copies + (size_t)omp_get_thread_num() * bins;
#pragma omp for schedule(static)
            for (size_t i = 0; i < n; i++)
                mine[keys[i]] += 1.0;
        }
    }
    for (int t = 0; t < threads; t++)
        for (size_t b = 0; b < bins; b++)
            total[b] += copies[(size_t)t * bins + b];
    printf("%.1f %.1f\n", total[0], total[bins - 1]);
}
