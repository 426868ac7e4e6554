// SPDX-License-Identifier: Apache-2.0
// truth: 24 arrays made in one function, each small, all filled by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

enum { ARRAYS = 24 };
static double *make(size_t n)
{
    double *a = malloc(n * sizeof *a);
    for (size_t i = 0; i < n; i++)
        a[i] = (double)i;
    return a;
}

int main(void)
{
    size_t n = 24000;
    double *a[ARRAYS], sum = 0;
    for (int k = 0; k < ARRAYS; k++)
        a[k] = make(n);
    for (int sweep = 0; sweep < 20; sweep++)
        for (int k = 0; k < ARRAYS; k++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
            for (size_t i = 0; i < n; i++)
                sum += a[k][i];
        }
    printf("%.1f\n", sum);
}
