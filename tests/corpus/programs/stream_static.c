// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: STREAM as published: static arrays, set in parallel, used alike, checked by main at the end: nothing to gain
// fix: none
#include <stdio.h>

#define N (1 << 18)
static double a[N + 16], b[N + 16], c[N + 16];

static double check(void)
{
    double sum = 0;
    for (int j = 0; j < N; j++)
        sum += a[j] + b[j] + c[j];
    return sum;
}

int main(void)
{
    double scalar = 3;
#pragma omp parallel for
    for (int j = 0; j < N; j++) {
        a[j] = 1;
        b[j] = 2;
        c[j] = 0;
    }
    for (int k = 0; k < 10; k++) {
#pragma omp parallel for
        for (int j = 0; j < N; j++)
            c[j] = a[j];
#pragma omp parallel for
        for (int j = 0; j < N; j++)
            b[j] = scalar * c[j] * 0.1;
#pragma omp parallel for
        for (int j = 0; j < N; j++)
            c[j] = a[j] + b[j];
#pragma omp parallel for
        for (int j = 0; j < N; j++)
            a[j] = b[j] + scalar * c[j] * 0.01;
    }
    printf("%.4e\n", check());
}
