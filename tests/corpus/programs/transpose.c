// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: rows of complex numbers, transformed in place and transposed by columns; main fills all; rows divided
// fix: parts
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex cplx;

static void butterflies(cplx *row, int n)
{
    for (int half = n / 2; half >= 33; half /= 2)
        for (int begin = 0; begin < n; begin += 2 * half)
            for (int k = begin; k < begin + half; k++) {
                cplx sum = row[k] + row[k + half];
                row[k + half] = (row[k] - row[k + half]) * 0.5;
                row[k] = sum * 0.5;
            }
}

static void transform_rows(cplx *m, int n)
{
#pragma omp parallel for schedule(static)
    for (int r = 0; r < n; r++)
        butterflies(m + (size_t)r * n, n);
}

static void transpose(cplx *to, const cplx *from, int n)
{
#pragma omp parallel for schedule(static)
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            to[(size_t)r * n + c] = from[(size_t)c * n + r];
}

int main(void)
{
    const int n = 528; // 16 times 33: columns do not fall into one set of a cache
    cplx *u = malloc(sizeof(cplx) * n * n), *w = malloc(sizeof(cplx) * n * n);
    for (int i = 0; i < n * n; i++) {
        u[i] = i % 13 + I * (i % 7);
        w[i] = 0;
    }
    for (int step = 0; step < 4; step++) {
        transform_rows(u, n);
        transform_rows(u, n);
        transpose(w, u, n);
        transform_rows(w, n);
        transform_rows(w, n);
        transpose(u, w, n);
    }
    printf("%.6e %.6e\n", creal(u[n + 3]), cimag(u[5 * n]));
}
