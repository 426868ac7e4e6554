// SPDX-License-Identifier: Apache-2.0
// truth: a dynamic schedule hands out pieces: nobody has a part
// fix: spread
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    long n = 1 << 19;
    double *a = malloc(n * sizeof *a), sum = 0;
    for (long i = 0; i < n; i++)
        a[i] = (double)i;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(dynamic, 512) reduction(+ : sum)
        for (long i = 0; i < n; i++)
            sum += a[i];
    }
    printf("%.1f\n", sum);
}
