// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: LU decomposition of one block that main fills; rows go to threads cyclically, by schedule(static, 1)
// fix: parts
#include <stdio.h>
#include <stdlib.h>

static void decompose(double *a, int n)
{
    for (int k = 0; k < n - 1; k++) {
#pragma omp parallel for schedule(static, 1)
        for (int i = 0; i < n; i++) {
            if (i <= k)
                continue;
            double factor = a[i * n + k] / a[k * n + k];
            a[i * n + k] = factor;
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

int main(void)
{
    int n = 520;
    double *a = malloc((size_t)n * n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = i == j ? n : 1.0 / (1 + i + j);
    decompose(a, n);
    printf("%.6f\n", a[n * n - 1]);
}
