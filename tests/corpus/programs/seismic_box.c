// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: pressure at two times and velocity are boxes (*)[NY][NX] that main mallocs and sets; a collapsed static loop over planes and rows gives each thread a slab of all three
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NZ = 64, NY = 80, NX = 96, STEPS = 8 };

typedef double box[NY][NX];

static double layer(int z)
{
    return z < 20 ? 1.5 : z < 45 ? 2.2 : 3.1;
}

static void step(box *restrict before, box *restrict now, box *restrict speed2)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (int z = 1; z < NZ - 1; z++) {
        for (int y = 1; y < NY - 1; y++) {
#pragma omp simd
            for (int x = 1; x < NX - 1; x++) {
                double bend = now[z][y][x - 1] + now[z][y][x + 1] + now[z][y - 1][x] + now[z][y + 1][x] + now[z - 1][y][x] +
                              now[z + 1][y][x] - 6 * now[z][y][x];
                before[z][y][x] = 2 * now[z][y][x] - before[z][y][x] + speed2[z][y][x] * bend;
            }
        }
    }
}

int main(void)
{
    double(*before)[NY][NX] = malloc(NZ * sizeof *before);
    double(*now)[NY][NX] = malloc(NZ * sizeof *now);
    double(*speed2)[NY][NX] = malloc(NZ * sizeof *speed2);
    if (!before || !now || !speed2)
        return 1;
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                double c = layer(z) * 0.15;
                double r2 = (z - 10) * (z - 10) + (y - NY / 2) * (y - NY / 2) + (x - NX / 2) * (x - NX / 2);
                speed2[z][y][x] = c * c;
                now[z][y][x] = exp(-r2 / 60);
            }
    memcpy(before, now, NZ * sizeof *before);
    for (int t = 0; t < STEPS; t++) {
        step(before, now, speed2);
        box *swap = before;
        before = now;
        now = swap;
    }
    double trace = 0;
    for (int x = 0; x < NX; x += 4)
        trace += fabs(now[2][NY / 2][x]);
    printf("%.9f %.9f\n", trace, now[16][NY / 2][NX / 2]);
    free(before);
    free(now);
    free(speed2);
}
