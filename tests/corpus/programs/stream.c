// SPDX-License-Identifier: Apache-2.0
// truth: a, b, c filled by main, streamed in blocks
// fix: parts
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 1 << 19;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c), total = 0;
    for (size_t i = 0; i < n; i++) {
        a[i] = 0;
        b[i] = (double)i;
        c[i] = 2.0;
    }
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + 3.0 * c[i];
    }
    for (size_t i = 0; i < n; i += 4096)
        total += a[i];
    printf("%.1f\n", total);
}
