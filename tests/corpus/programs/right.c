// SPDX-License-Identifier: Apache-2.0
// truth: filled as it is used: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    long n = 1 << 19;
    double *a = malloc(n * sizeof *a), sum = 0;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        a[i] = (double)i;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (long i = 0; i < n; i++)
            sum += a[i];
    }
    printf("%.1f\n", sum);
}
