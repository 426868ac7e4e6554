// SPDX-License-Identifier: Apache-2.0
// truth: memset by main, then blocks
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#include <string.h>
static void scale(float *v, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        v[i] = v[i] * 1.5f + 1;
}

int main(void)
{
    size_t n = 1 << 20;
    float *field = malloc(n * sizeof(float));
    memset(field, 1, n * sizeof(float));
    for (int sweep = 0; sweep < 20; sweep++)
        scale(field, n);
    printf("%.1f\n", field[n - 1]);
}
