// SPDX-License-Identifier: Apache-2.0
// truth: eight arrays, allocated one by one, all filled by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 80000;
    double *a = malloc(n * sizeof *a);
    double *b = malloc(n * sizeof *b);
    double *c = malloc(n * sizeof *c);
    double *d = malloc(n * sizeof *d);
    double *e = malloc(n * sizeof *e);
    double *f = malloc(n * sizeof *f);
    double *g = malloc(n * sizeof *g);
    double *h = malloc(n * sizeof *h), sum = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] = c[i] = d[i] = e[i] = f[i] = g[i] = h[i] = 1;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += a[i] + b[i] * c[i] + d[i] * e[i] + f[i] + g[i] * h[i];
    }
    printf("%.1f\n", sum);
}
