// SPDX-License-Identifier: Apache-2.0
// truth: all memory comes from a wrapper of the program: one array in blocks, one read by all
// fix: parts
#include <stdio.h>
#include <stdlib.h>

static void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        abort();
    return p;
}

int main(void)
{
    size_t n = 1 << 19, m = 1 << 19;
    double *cells = xmalloc(n * sizeof *cells);
    unsigned *table = xmalloc(m * sizeof *table);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        cells[i] = (double)i;
    for (size_t i = 0; i < m; i++)
        table[i] = (unsigned)i;
    for (int sweep = 0; sweep < 12; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += cells[i];
    }
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (unsigned k = 0; k < 400000; k++)
        sum += table[k * 2654435761u % m];
    printf("%.1f\n", sum);
}
