// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: the ten concentration rows c[s] (3.1 MiB each, 30.5 MiB in all) are written first in parallel but by species (thread s%8 writes the whole row), then used by cells: each thread uses its block of cells in every row, for all 20 steps; not the threads that wrote them
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Box-model chemistry of an air parcel field: structure of rows, one row per species. */

enum { O3, NO, NO2, OH, HO2, CO, CH4, HCHO, H2O2, HNO3, NSPEC };
#define NCELL 400000
#define NSTEP 20
#define NSUB 4

static const double background[NSPEC] = {40.0, 0.1, 0.5, 1e-4, 1e-2, 90.0, 1800.0, 0.8, 1.1, 0.3};

static double **alloc_species(int nspec, int ncell)
{
    double **c = malloc(nspec * sizeof *c);
    if (!c)
        exit(1);
    for (int s = 0; s < nspec; s++) {
        c[s] = aligned_alloc(4096, (ncell * sizeof(double) + 4095) / 4096 * 4096);
        if (!c[s])
            exit(1);
    }
    return c;
}

static void load_background(double **c)
{
#pragma omp parallel for schedule(static, 1)
    for (int s = 0; s < NSPEC; s++)
        for (int i = 0; i < NCELL; i++)
            c[s][i] = background[s] * (1.0 + 0.2 * ((i * 37 + s * 101) % 64) / 64.0);
}

/* quotient form of an implicit step: (c + dt P) / (1 + dt L) */
static inline double relax(double c, double prod, double loss, double dt)
{
    return (c + dt * prod) / (1.0 + dt * loss);
}

static void react(double **c, double sun, double dt)
{
    const double *ch4 = c[CH4];
#pragma omp parallel for schedule(static)
    for (int i = 0; i < NCELL; i++) {
        double o3 = c[O3][i], no = c[NO][i], no2 = c[NO2][i], oh = c[OH][i], ho2 = c[HO2][i];
        double co = c[CO][i], hcho = c[HCHO][i], h2o2 = c[H2O2][i], hno3 = c[HNO3][i];
        for (int k = 0; k < NSUB; k++) {
            double jno2 = 0.5 * sun, jo3 = 2e-4 * sun, jh = 3e-3 * sun;
            double r1 = 0.026 * no, r2 = 12.0 * ho2, r3 = 16.0 * no2;
            double o3n = relax(o3, jno2 * no2, r1 + jo3, dt);
            double non = relax(no, jno2 * no2, 0.026 * o3n + r2, dt);
            double no2n = relax(no2, (0.026 * o3n + r2) * non, jno2 + 16.0 * oh, dt);
            double ohn = relax(oh, 2.0 * jo3 * o3n + r2 * non + 2.0 * jh * 0.1 * h2o2,
                               r3 + 0.35 * 0.01 * co + 0.0093 * 0.01 * ch4[i] + 13.0 * 0.01 * hcho, dt);
            double ho2n = relax(ho2, ohn * (0.0035 * co + 0.13 * hcho) + jh * hcho,
                                12.0 * non + 4.0 * ho2, dt);
            co = relax(co, jh * hcho, 0.0035 * ohn, dt);
            hcho = relax(hcho, 0.000093 * ohn * ch4[i], jh + 0.13 * ohn, dt);
            h2o2 = relax(h2o2, 2.0 * ho2n * ho2n, 0.1 * jh, dt);
            hno3 += dt * 16.0 * ohn * no2n;
            o3 = o3n, no = non, no2 = no2n, oh = ohn, ho2 = ho2n;
        }
        c[O3][i] = o3, c[NO][i] = no, c[NO2][i] = no2, c[OH][i] = oh, c[HO2][i] = ho2;
        c[CO][i] = co, c[HCHO][i] = hcho, c[H2O2][i] = h2o2, c[HNO3][i] = hno3;
    }
}

int main(void)
{
    double **c = alloc_species(NSPEC, NCELL);

    load_background(c);
    for (int n = 0; n < NSTEP; n++)
        react(c, fabs(1.0 - 2.0 * n / NSTEP), 0.05);

    for (int s = 0; s < NSPEC; s++) {
        double mean = 0.0;
        for (int i = 0; i < NCELL; i++)
            mean += c[s][i];
        printf("species %d: %.6e\n", s, mean / NCELL);
        free(c[s]);
    }
    free(c);
    return 0;
}
