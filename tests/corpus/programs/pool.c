// SPDX-License-Identifier: Apache-2.0
// truth: a pool of one mapping hands out both arrays
// fix: parts
#include <stdio.h>
#include <stdlib.h>

static char *pool;
static size_t used;
static void *take(size_t bytes)
{
    void *p = pool + used;
    used += (bytes + 63) / 64 * 64;
    return p;
}

int main(void)
{
    size_t n = 300000;
    pool = malloc(2 * n * sizeof(double) + 128);
    double *a = take(n * sizeof *a), *b = take(n * sizeof *b), sum = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] = (double)i;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += a[i] - b[i] * 0.5;
    }
    printf("%.1f\n", sum);
}
