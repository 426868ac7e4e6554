// SPDX-License-Identifier: Apache-2.0
// truth: two grids, filled by main, swapped after each step
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#define AT(g, y, x) g[(size_t)(y) * width + (x)]
static void step(double *to, const double *from, int height, int width)
{
#pragma omp parallel for schedule(static)
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++)
            AT(to, y, x) = 0.25 * (AT(from, y - 1, x) + AT(from, y + 1, x) + AT(from, y, x - 1) + AT(from, y, x + 1));
}

int main(void)
{
    int width = 700, height = 700;
    double *old = malloc((size_t)width * height * sizeof(double));
    double *new = malloc((size_t)width * height * sizeof(double));
    for (int i = 0; i < width * height; i++)
        old[i] = new[i] = i % 100;
    for (int t = 0; t < 20; t++) {
        step(new, old, height, width);
        double *swap = old;
        old = new;
        new = swap;
    }
    printf("%.6f\n", old[width * 50 + 50]);
}
