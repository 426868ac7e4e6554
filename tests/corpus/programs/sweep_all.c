// SPDX-License-Identifier: Apache-2.0
// truth: every thread reads the whole table, from end to end
// fix: spread
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 1 << 19;
    double *table = malloc(n * sizeof *table), sum = 0;
    for (size_t i = 0; i < n; i++)
        table[i] = 1.0 / (double)(i + 1);
#pragma omp parallel reduction(+ : sum)
    for (int sweep = 0; sweep < 3; sweep++)
        for (size_t i = 0; i < n; i++)
            sum += table[i];
    printf("%.6f\n", sum);
}
