// SPDX-License-Identifier: Apache-2.0
// truth: matrix in blocks of rows, small vector read by all; both filled by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 900;
    double *a = malloc((size_t)n * n * sizeof *a), *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (int i = 0; i < n; i++) {
        x[i] = i;
        for (int j = 0; j < n; j++)
            a[(size_t)i * n + j] = i == j ? 2 : 0.5;
    }
    for (int sweep = 0; sweep < 16; sweep++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int j = 0; j < n; j++)
                s += a[(size_t)i * n + j] * x[j];
            y[i] = s;
        }
    }
    printf("%.1f\n", y[n - 1]);
}
