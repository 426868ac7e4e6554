// SPDX-License-Identifier: Apache-2.0
// truth: reads its blocks once and computes long on each element: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>

#include <math.h>
int main(void)
{
    size_t n = 40000;
    double *a = malloc(n * sizeof *a), sum = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = (double)i;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 60; k++)
            sum += sqrt(a[i] + k);
    printf("%.1f\n", sum);
}
