// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: the lower-triangular rows L[i] (aligned_alloc per row, 12.4 MiB in all) are written first by main in build_factor, then used by their OpenMP thread in block-cyclic order (schedule(static,8)); vectors are small
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Correlated Gaussian samples: y = L z with a packed lower-triangular factor. The rows grow,
 * so they are dealt to the threads block-cyclically for balance. */

#define N 1800
#define ROW_BLOCK 8
#define NBATCH 10
#define NVEC 8

static double **build_factor(int n, double len)
{
    double **L = malloc(n * sizeof *L);
    if (!L)
        return NULL;
    for (int i = 0; i < n; i++) {
        size_t bytes = ((i + 1) * sizeof(double) + 63) & ~(size_t)63;
        L[i] = aligned_alloc(64, bytes);
        if (!L[i])
            return NULL;
        double norm = 0.0;
        for (int j = 0; j <= i; j++) {
            L[i][j] = exp(-(double)(i - j) / len) + 1e-3;
            norm += L[i][j] * L[i][j];
        }
        norm = 1.0 / sqrt(norm);
        for (int j = 0; j <= i; j++)
            L[i][j] *= norm;
    }
    return L;
}

static void white_noise(double z[N][NVEC], unsigned *seed)
{
    for (int i = 0; i < N; i++)
        for (int v = 0; v < NVEC; v++) {
            double s = 0.0;
            for (int k = 0; k < 4; k++) {
                *seed = *seed * 1103515245u + 12345u;
                s += (double)(*seed >> 16) / 65536.0;
            }
            z[i][v] = (s - 2.0) * 1.7320508075688772;
        }
}

static void apply_factor(double **L, double z[N][NVEC], double y[N][NVEC])
{
#pragma omp parallel for schedule(static, ROW_BLOCK)
    for (int i = 0; i < N; i++) {
        const double *row = L[i];
        double acc[NVEC] = {0.0};
        for (int j = 0; j <= i; j++)
            for (int v = 0; v < NVEC; v++)
                acc[v] += row[j] * z[j][v];
        for (int v = 0; v < NVEC; v++)
            y[i][v] = acc[v];
    }
}

int main(void)
{
    static double z[N][NVEC], y[N][NVEC];
    double **L = build_factor(N, 40.0);
    if (!L)
        return 1;

    double mean = 0.0, var = 0.0;
    unsigned seed = 99;
    for (int b = 0; b < NBATCH; b++) {
        white_noise(z, &seed);
        apply_factor(L, z, y);
        for (int i = 0; i < N; i++)
            for (int v = 0; v < NVEC; v++) {
                mean += y[i][v];
                var += y[i][v] * y[i][v];
            }
    }
    double cnt = (double)N * NVEC * NBATCH;
    printf("mean %.9f  variance %.9f\n", mean / cnt, var / cnt);
    for (int i = 0; i < N; i++)
        free(L[i]);
    free(L);
    return 0;
}
