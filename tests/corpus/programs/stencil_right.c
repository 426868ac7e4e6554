// SPDX-License-Identifier: Apache-2.0
// truth: a stencil whose grids are filled as they are used: borders only
// fix: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int w = 700, h = 700;
    double *a = malloc((size_t)w * h * sizeof *a), *b = malloc((size_t)w * h * sizeof *b);
#pragma omp parallel for schedule(static)
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            a[y * w + x] = b[y * w + x] = x + y;
    for (int t = 0; t < 20; t++) {
#pragma omp parallel for schedule(static)
        for (int y = 1; y < h - 1; y++)
            for (int x = 1; x < w - 1; x++)
                b[y * w + x] = 0.2 * (a[y * w + x] + a[y * w + x - 1] + a[y * w + x + 1] + a[y * w + x - w] + a[y * w + x + w]);
        double *s = a;
        a = b;
        b = s;
    }
    printf("%.6f\n", a[w * 9 + 9]);
}
