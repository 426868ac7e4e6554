// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: lattice Boltzmann: two grids of nine speeds for each cell, behind a margin, set by main, pushed and swapped; rows divided
// fix: parts
#include <stdio.h>
#include <stdlib.h>

enum { CENTRE, NORTH, SOUTH, EAST, WEST, NE, NW, SE, SW, SPEEDS };
enum { WIDTH = 400, HEIGHT = 280, MARGIN = 2 * WIDTH * SPEEDS };

#define AT(grid, x, y, speed) ((grid)[SPEEDS * ((x) + (y) * WIDTH) + (speed)])

static const double weights[SPEEDS] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                       1. / 36, 1. / 36, 1. / 36, 1. / 36};
static const int dx[SPEEDS] = {0, 0, 0, 1, -1, 1, -1, 1, -1}, dy[SPEEDS] = {0, 1, -1, 0, 0, 1, 1, -1, -1};

static void allocate_grid(double **grid)
{
    const size_t size = sizeof(double) * (SPEEDS * WIDTH * HEIGHT + 2 * MARGIN);
    *grid = malloc(size);
    if (!*grid) {
        printf("cannot allocate %.1f MiB\n", (double)size / (1024 * 1024));
        exit(1);
    }
    *grid += MARGIN;
}

static void free_grid(double **grid)
{
    free(*grid - MARGIN);
    *grid = NULL;
}

static void initialise_grid(double *grid)
{
    for (int i = -MARGIN; i < SPEEDS * WIDTH * HEIGHT + MARGIN; i += SPEEDS)
        for (int s = 0; s < SPEEDS; s++)
            grid[i + s] = weights[s] * (1 + 0.01 * (i / SPEEDS % 7));
}

static void stream_collide(const double *from, double *to)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double rho = 0, ux = 0, uy = 0;
            for (int s = 0; s < SPEEDS; s++) {
                double f = AT(from, x, y, s);
                rho += f;
                ux += dx[s] * f;
                uy += dy[s] * f;
            }
            for (int s = 0; s < SPEEDS; s++) {
                double along = 3 * (dx[s] * ux + dy[s] * uy);
                double rest = weights[s] * (rho + along - 1.5 * (ux * ux + uy * uy));
                AT(to, x + dx[s], y + dy[s], s) = 0.1 * AT(from, x, y, s) + 0.9 * rest;
            }
        }
}

static void swap_grids(double **a, double **b)
{
    double *old = *a;
    *a = *b;
    *b = old;
}

int main(void)
{
    static double *source, *target;
    allocate_grid(&source);
    allocate_grid(&target);
    initialise_grid(source);
    initialise_grid(target);
    for (int step = 0; step < 6; step++) {
        stream_collide(source, target);
        swap_grids(&source, &target);
    }
    printf("%.9f\n", AT(source, WIDTH / 2, HEIGHT / 2, NE));
    free_grid(&source);
    free_grid(&target);
}
