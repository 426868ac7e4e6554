// SPDX-License-Identifier: Apache-2.0
// truth: main reads it far more often than the team: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 1 << 18;
    double *a = malloc(n * sizeof *a), sum = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = (double)i;
    for (int step = 0; step < 4; step++) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; i++)
            a[i] += 1;
        for (int again = 0; again < 10; again++)
            for (size_t i = 0; i < n; i++)
                sum += a[i] * again;
    }
    printf("%.1f\n", sum);
}
