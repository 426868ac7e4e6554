// SPDX-License-Identifier: Apache-2.0
// truth: main reads all of it after each step: the fix makes half of that remote
// fix: parts
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 1 << 19;
    double *a = malloc(n * sizeof *a), worst = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = (double)(i % 13);
    for (int step = 0; step < 12; step++) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; i++)
            a[i] = a[i] * 0.5 + 1;
        if (step % 3 == 0)
            for (size_t i = 0; i < n; i++)
                worst = a[i] > worst ? a[i] : worst;
    }
    printf("%.6f\n", worst);
}
