// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: arrays come by a macro ALLOC of a checked malloc, and by `a = b = `; main sets all; OpenMP divides
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALLOC(pointer, count)                                          \
    do {                                                               \
        (pointer) = malloc((size_t)(count) * sizeof *(pointer));       \
        if (!(pointer)) {                                              \
            fprintf(stderr, "no memory\n");                            \
            exit(1);                                                   \
        }                                                              \
    } while (0)

struct fields {
    double *x, *y, *force;
    float *mass;
};

static double *current, *first;

static void advance(struct fields *f, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 1; i < n - 1; i++)
        f->force[i] = f->mass[i] * (f->x[i + 1] - 2 * f->x[i] + f->x[i - 1]);
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        f->y[i] += 0.01 * f->force[i];
        f->x[i] += 0.01 * f->y[i];
        current[i] += f->x[i];
    }
}

int main(void)
{
    struct fields f;
    const long n = 500000;
    ALLOC(f.x, n);
    ALLOC(f.y, n);
    ALLOC(f.force, n);
    ALLOC(f.mass, n);
    current = first = malloc(n * sizeof(double));
    memset(f.y, 0, n * sizeof(double));
    memset(f.force, 0, n * sizeof(double));
    for (long i = 0; i < n; i++) {
        f.x[i] = (double)(i % 19);
        f.mass[i] = 1.0f + (float)(i % 3);
        first[i] = 0;
    }
    for (int step = 0; step < 6; step++)
        advance(&f, n);
    printf("%.8f %.8f\n", f.x[n / 2], current[n - 1]);
}
