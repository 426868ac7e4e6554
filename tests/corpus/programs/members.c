// SPDX-License-Identifier: Apache-2.0
// truth: arrays are members of a structure, made by a function; main fills them
// fix: parts
#include <stdio.h>
#include <stdlib.h>

struct fields {
    double *density, *energy;
    size_t cells;
};

static void make(struct fields *f, size_t cells)
{
    f->cells = cells;
    f->density = malloc(cells * sizeof(double));
    f->energy = malloc(cells * sizeof(double));
}

int main(void)
{
    struct fields f;
    make(&f, 300000);
    double sum = 0;
    for (size_t i = 0; i < f.cells; i++)
        f.density[i] = f.energy[i] = (double)(i % 10);
    for (int step = 0; step < 20; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < f.cells; i++)
            sum += f.density[i] * f.energy[i];
    }
    printf("%.1f\n", sum);
}
