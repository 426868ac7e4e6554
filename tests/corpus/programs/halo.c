// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: each thread allocates and fills its own piece, copies halos of neighbours: nothing to gain
// fix: none
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALO = 64, LENGTH = 60000, STEPS = 20 };

int main(void)
{
    double **piece = NULL;
    double total = 0;
    int count = 0;
#pragma omp parallel reduction(+ : total)
    {
        int me = omp_get_thread_num();
#pragma omp single
        {
            count = omp_get_num_threads();
            piece = malloc(count * sizeof *piece);
        }
        double *own = malloc((LENGTH + 2 * HALO) * sizeof *own), *next = malloc((LENGTH + 2 * HALO) * sizeof *next);
        for (int i = 0; i < LENGTH + 2 * HALO; i++)
            own[i] = next[i] = me * 10.0 + i % 7;
        for (int step = 0; step < STEPS; step++) {
            piece[me] = own;
#pragma omp barrier
            if (me > 0)
                memcpy(own, piece[me - 1] + LENGTH, HALO * sizeof *own);
            if (me + 1 < count)
                memcpy(own + HALO + LENGTH, piece[me + 1] + HALO, HALO * sizeof *own);
            for (int i = HALO; i < HALO + LENGTH; i++)
                next[i] = (own[i - 1] + own[i] + own[i + 1]) / 3.0;
#pragma omp barrier
            double *swap = own;
            own = next;
            next = swap;
        }
        for (int i = HALO; i < HALO + LENGTH; i++)
            total += own[i];
    }
    printf("%.3e\n", total);
}
