// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: structures of particles that main creates, divided; the field stays in caches, densities are private
// fix: parts
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 512

typedef struct {
    double x, v, weight;
    int kind;
} particle;

typedef struct {
    int count;
    particle *list;
} species;

static void create(species *s, int count)
{
    s->count = count;
    s->list = (particle *)calloc(count, sizeof(particle));
    for (int i = 0; i < count; i++) {
        particle *p = s->list + i;
        p->x = (double)((i * 7919L) % CELLS) + 0.5;
        p->v = (i & 1) ? 0.25 : -0.25;
        p->weight = 1.0 / count;
        p->kind = i & 3;
    }
}

static void push(species *s, const double *field)
{
#pragma omp parallel for
    for (int i = 0; i < s->count; i++) {
        particle *p = &s->list[i];
        p->v += field[(int)p->x % CELLS] * 0.01;
        p->x += p->v;
        if (p->x < 0)
            p->x += CELLS;
        if (p->x >= CELLS)
            p->x -= CELLS;
    }
}

static void deposit(const species *s, double *density)
{
    memset(density, 0, CELLS * sizeof *density);
#pragma omp parallel
    {
        double mine[CELLS] = {0};
#pragma omp for nowait
        for (int i = 0; i < s->count; i++)
            mine[(int)s->list[i].x % CELLS] += s->list[i].weight;
#pragma omp critical
        for (int c = 0; c < CELLS; c++)
            density[c] += mine[c];
    }
}

int main(void)
{
    species electrons;
    double field[CELLS], density[CELLS];
    create(&electrons, 150000);
    memset(field, 0, sizeof field);
    for (int step = 0; step < 12; step++) {
        push(&electrons, field);
        deposit(&electrons, density);
        for (int c = 0; c < CELLS; c++)
            field[c] = 0.5 * (density[c] - density[(c + 1) % CELLS]);
    }
    printf("%.3f\n", density[3] * 1000);
}
