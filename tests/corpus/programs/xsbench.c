// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: cross-section lookups: every thread searches and reads one table of structures at random; main made it
// fix: spread
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double energy, total, elastic, absorption, fission, nu;
} GridPoint;

static uint64_t lcg(uint64_t *seed)
{
    *seed = *seed * 2806196910506780709u + 1;
    return *seed >> 33;
}

static long search(const GridPoint *grid, long n, double quarry)
{
    long low = 0, high = n - 1;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (grid[middle].energy > quarry)
            high = middle;
        else
            low = middle;
    }
    return low;
}

int main(void)
{
    long nuclides = 40, points = 2500, lookups = 12000;
    GridPoint *grids = malloc(nuclides * points * sizeof(GridPoint));
    for (long n = 0; n < nuclides; n++)
        for (long i = 0; i < points; i++)
            grids[n * points + i] = (GridPoint){(double)i / points, n + 1, 2, 3, 4, i};
    double verification = 0;
#pragma omp parallel for schedule(dynamic, 100) reduction(+ : verification)
    for (long i = 0; i < lookups; i++) {
        uint64_t seed = (uint64_t)i * 7919 + 1;
        double energy = (double)(lcg(&seed) % 10000) / 10000;
        for (int k = 0; k < 8; k++) {
            const GridPoint *grid = grids + (long)(lcg(&seed) % (uint64_t)nuclides) * points;
            const GridPoint *low = grid + search(grid, points, energy), *high = low + 1;
            double f = (energy - low->energy) * points;
            verification += (1 - f) * low->total + f * high->total + low->elastic + high->fission;
        }
    }
    printf("%.3e\n", verification);
}
