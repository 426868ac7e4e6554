// SPDX-License-Identifier: Apache-2.0
// truth: filled in parallel by columns, used by rows
// fix: parts
#include <stdio.h>
#include <stdlib.h>

enum { N = 800 };
int main(void)
{
    double *a = malloc((size_t)N * N * sizeof *a), sum = 0;
#pragma omp parallel for schedule(static, 1)
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            a[(size_t)(N - 1 - y) * N + x] = x;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                sum += a[(size_t)y * N + x];
    }
    printf("%.1f\n", sum);
}
