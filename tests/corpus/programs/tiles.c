// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: matrix product in tiles; a and c are used in blocks of rows, b by all; main fills them with random numbers
// fix: parts, spread
#include <stdio.h>
#include <stdlib.h>

#define TILE 64

static double *matrix(int n)
{
    double *m = malloc((size_t)n * n * sizeof *m);
    if (!m) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return m;
}

static void randomise(double *m, int n)
{
    for (int i = 0; i < n * n; i++)
        m[i] = rand() % 100 / 10.0;
}

static void multiply(double *c, const double *a, const double *b, int n)
{
#pragma omp parallel for schedule(static)
    for (int ii = 0; ii < n; ii += TILE)
        for (int jj = 0; jj < n; jj += TILE)
            for (int kk = 0; kk < n; kk += TILE)
                for (int i = ii; i < ii + TILE; i++)
                    for (int k = kk; k < kk + TILE; k += 8) {
                        double left = a[i * n + k];
                        for (int j = jj; j < jj + TILE; j++)
                            c[i * n + j] += left * b[k * n + j];
                    }
}

int main(void)
{
    int n = 512;
    double *a = matrix(n), *b = matrix(n), *c = matrix(n);
    randomise(a, n);
    randomise(b, n);
    for (int i = 0; i < n * n; i++)
        c[i] = 0;
    multiply(c, a, b, n);
    printf("%.4f\n", c[n + 5]);
}
