// SPDX-License-Identifier: Apache-2.0
// truth: computes in its caches: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    double sum = 0;
    enum { N = 2000 };
    double *a = malloc(N * sizeof *a);
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int k = 0; k < 4000; k++)
        for (int i = 0; i < N; i++)
            sum += a[i] * k;
    printf("%.1f\n", sum);
}
