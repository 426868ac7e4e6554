// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: cur (calloc, 4.2 MiB) is written first by main in init_shear, then used by blocks of rows per OpenMP thread (static, one halo row); nxt is first written by its users
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Two-dimensional lattice Boltzmann (D2Q9, BGK), doubly periodic shear layer. */

#define NX 384
#define NY 320
#define STEPS 8

typedef struct {
    float f[9];
} cell_t;

static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float wt[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                            1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

static inline float equilibrium(int q, float rho, float ux, float uy)
{
    float cu = 3.f * (cx[q] * ux + cy[q] * uy);
    float uu = 1.5f * (ux * ux + uy * uy);
    return wt[q] * rho * (1.f + cu + 0.5f * cu * cu - uu);
}

static void init_shear(cell_t *g)
{
    for (int y = 0; y < NY; y++) {
        float ux = 0.05f * tanhf(20.f * (0.25f - fabsf((float)y / NY - 0.5f)));
        for (int x = 0; x < NX; x++) {
            float uy = 0.005f * sinf(6.2831853f * (float)x / NX);
            for (int q = 0; q < 9; q++)
                g[y * NX + x].f[q] = equilibrium(q, 1.f, ux, uy);
        }
    }
}

static void collide_stream(const cell_t *restrict src, cell_t *restrict dst, float omega)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < NY; y++) {
        for (int x = 0; x < NX; x++) {
            float in[9], rho = 0.f, mx = 0.f, my = 0.f;
            for (int q = 0; q < 9; q++) {
                int xs = x - cx[q], ys = y - cy[q];
                if (xs < 0)
                    xs += NX;
                else if (xs >= NX)
                    xs -= NX;
                if (ys < 0)
                    ys += NY;
                else if (ys >= NY)
                    ys -= NY;
                in[q] = src[ys * NX + xs].f[q];
                rho += in[q];
                mx += cx[q] * in[q];
                my += cy[q] * in[q];
            }
            float ux = mx / rho, uy = my / rho;
            cell_t *c = &dst[y * NX + x];
            for (int q = 0; q < 9; q++)
                c->f[q] = in[q] + omega * (equilibrium(q, rho, ux, uy) - in[q]);
        }
    }
}

int main(void)
{
    cell_t *cur = calloc((size_t)NX * NY, sizeof *cur);
    cell_t *nxt = calloc((size_t)NX * NY, sizeof *nxt);
    if (!cur || !nxt)
        return 1;
    init_shear(cur);
    for (int s = 0; s < STEPS; s++) {
        collide_stream(cur, nxt, 1.2f);
        cell_t *t = cur;
        cur = nxt;
        nxt = t;
    }
    double mass = 0.0, ke = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : mass, ke)
    for (int i = 0; i < NX * NY; i++) {
        double r = 0, mx = 0, my = 0;
        for (int q = 0; q < 9; q++) {
            r += cur[i].f[q];
            mx += cx[q] * cur[i].f[q];
            my += cy[q] * cur[i].f[q];
        }
        mass += r;
        ke += 0.5 * (mx * mx + my * my) / r;
    }
    printf("mass %.4f  kinetic energy %.6e\n", mass / (NX * NY), ke);
    free(cur);
    free(nxt);
    return 0;
}
