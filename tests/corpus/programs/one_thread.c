// SPDX-License-Identifier: Apache-2.0
// truth: one thread does all: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 1 << 19;
    double *a = malloc(n * sizeof *a), sum = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = (double)i;
    for (int sweep = 0; sweep < 10; sweep++)
        for (size_t i = 0; i < n; i++)
            sum += a[i];
    printf("%.1f\n", sum);
}
