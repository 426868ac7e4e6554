// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: heat on two grids of calloc that main sets at the borders and inside; taskloop hands rows to whoever is free
// fix: spread
#include <stdio.h>
#include <stdlib.h>

#define AT(u, i, j) ((u)[(size_t)(i) * (width + 2) + (j)])

typedef struct {
    int width, height;
    float *now, *next;
} plate;

static void plate_init(plate *p, int width, int height)
{
    p->width = width;
    p->height = height;
    p->now = calloc((size_t)(width + 2) * (height + 2), sizeof *p->now);
    p->next = calloc((size_t)(width + 2) * (height + 2), sizeof *p->next);
    if (!p->now || !p->next)
        exit(1);
    for (int i = 0; i < height + 2; i++)
        for (int j = 0; j < width + 2; j++)
            AT(p->now, i, j) = AT(p->next, i, j) = i == 0 || j == 0 ? 100.0f : (float)((i + j) % 3);
}

static void plate_step(plate *p)
{
    int width = p->width, height = p->height;
    float *now = p->now, *next = p->next;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(6)
    for (int i = 1; i <= height; i++)
        for (int j = 1; j <= width; j++)
            AT(next, i, j) =
                0.25f * (AT(now, i - 1, j) + AT(now, i + 1, j) + AT(now, i, j - 1) + AT(now, i, j + 1));
    p->now = next;
    p->next = now;
}

int main(void)
{
    plate p;
    plate_init(&p, 1100, 1000);
    for (int step = 0; step < 16; step++)
        plate_step(&p);
    double sum = 0;
    for (int i = 0; i < 1000; i += 50)
        sum += p.now[i * 1102 + 40];
    printf("%.5f\n", sum);
    free(p.now);
    free(p.next);
    return 0;
}
