// SPDX-License-Identifier: Apache-2.0
// truth: x and y set by calloc and a loop of main; dot product in blocks
// fix: parts
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 1 << 19;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), sum = 0;
    if (x == NULL || y == NULL)
        return 1;
    for (size_t i = 0; i < n; i++)
        x[i] = y[i] = (double)(i % 7);
    for (int sweep = 0; sweep < 20; sweep++)
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += x[i] * y[i];
    printf("%.1f\n", sum);
}
