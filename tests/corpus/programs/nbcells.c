// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: the particles of all cells (one malloc per cell, 4.5 MiB in all) are written first by main in fill_cells, then each POSIX thread uses its block of 11 cell rows (and reads one halo row either side)
// fix: parts
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Soft-sphere dynamics with a linked-cell decomposition (no migration between rebuilds). */

#define NCX 88
#define NCY 88
#define PER_CELL 12
#define NTHREADS 8
#define NSTEPS 5

typedef struct {
    double x, y, vx, vy, fx, fy;
} particle_t;

typedef struct {
    int n;
    particle_t *part;
} cell_t;

static cell_t grid[NCY][NCX];
static double partial[NTHREADS][8];
static pthread_barrier_t step_barrier;

static double uniform(uint64_t *s)
{
    *s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*s >> 11) * (1.0 / 9007199254740992.0);
}

static void fill_cells(uint64_t seed)
{
    for (int j = 0; j < NCY; j++)
        for (int i = 0; i < NCX; i++) {
            cell_t *c = &grid[j][i];
            c->n = PER_CELL;
            c->part = malloc(c->n * sizeof *c->part);
            if (!c->part)
                exit(1);
            for (int k = 0; k < c->n; k++) {
                particle_t *p = &c->part[k];
                p->x = i + uniform(&seed);
                p->y = j + uniform(&seed);
                p->vx = uniform(&seed) - 0.5;
                p->vy = uniform(&seed) - 0.5;
                p->fx = p->fy = 0.0;
            }
        }
}

static void cell_pair(cell_t *a, const cell_t *b)
{
    const double rc2 = 0.25;
    for (int i = 0; i < a->n; i++) {
        particle_t *p = &a->part[i];
        for (int k = 0; k < b->n; k++) {
            double dx = p->x - b->part[k].x, dy = p->y - b->part[k].y;
            double r2 = dx * dx + dy * dy;
            if (r2 < rc2) {
                double s = rc2 - r2;
                p->fx += s * dx;
                p->fy += s * dy;
            }
        }
    }
}

static void *worker(void *arg)
{
    int id = (int)(intptr_t)arg;
    int j0 = id * NCY / NTHREADS, j1 = (id + 1) * NCY / NTHREADS;
    const double dt = 1e-3;

    for (int step = 0; step < NSTEPS; step++) {
        for (int j = j0; j < j1; j++)
            for (int i = 0; i < NCX; i++)
                for (int dj = -1; dj <= 1; dj++)
                    for (int di = -1; di <= 1; di++)
                        if (j + dj >= 0 && j + dj < NCY && i + di >= 0 && i + di < NCX)
                            cell_pair(&grid[j][i], &grid[j + dj][i + di]);
        pthread_barrier_wait(&step_barrier);
        double ke = 0.0;
        for (int j = j0; j < j1; j++)
            for (int i = 0; i < NCX; i++)
                for (int k = 0; k < grid[j][i].n; k++) {
                    particle_t *p = &grid[j][i].part[k];
                    p->vx += dt * p->fx;
                    p->vy += dt * p->fy;
                    p->x += dt * p->vx;
                    p->y += dt * p->vy;
                    p->fx = p->fy = 0.0;
                    ke += 0.5 * (p->vx * p->vx + p->vy * p->vy);
                }
        partial[id][0] = ke;
        pthread_barrier_wait(&step_barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t th[NTHREADS];
    fill_cells(2024);
    pthread_barrier_init(&step_barrier, NULL, NTHREADS);
    for (int t = 0; t < NTHREADS; t++)
        pthread_create(&th[t], NULL, worker, (void *)(intptr_t)t);
    double ke = 0.0;
    for (int t = 0; t < NTHREADS; t++) {
        pthread_join(th[t], NULL);
        ke += partial[t][0];
    }
    printf("kinetic energy %.8f\n", ke);
    return 0;
}
