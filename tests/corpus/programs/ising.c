// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: spins and fields set by the threads that sweep the same rows (same static schedule): nothing to gain
// fix: none
#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define L 1024
#define SWEEPS 3

typedef int row_t[L];

static row_t *lattice(void)
{
    void *p = NULL;
    if (posix_memalign(&p, 4096, sizeof(row_t) * L)) {
        perror("posix_memalign");
        exit(1);
    }
    return p;
}

static inline uint32_t draw(uint32_t i, uint32_t j, uint32_t time)
{
    uint32_t x = (i * L + j) * 0x9e3779b9u + time * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    return x ^ x >> 15;
}

static void hot_start(row_t *spin, row_t *field)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < L; i++)
        for (int j = 0; j < L; j++) {
            spin[i][j] = draw(i, j, 1000) & 1 ? 1 : -1;
            field[i][j] = (int)(draw(i, j, 2000) % 3) - 1;
        }
}

static void half_sweep(row_t *spin, row_t *field, int colour, int time, const uint32_t *accept)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < L; i++) {
        int *up = spin[(i + L - 1) % L], *row = spin[i], *down = spin[(i + 1) % L];
        for (int j = (i + colour) & 1; j < L; j += 2) {
            int around = up[j] + down[j] + row[(j + L - 1) % L] + row[(j + 1) % L];
            int cost = row[j] * (around + field[i][j]);
            if (cost <= 0 || draw(i, j, time) < accept[cost])
                row[j] = -row[j];
        }
    }
}

int main(void)
{
    row_t *spin = lattice(), *field = lattice();
    uint32_t accept[6] = {UINT32_MAX};
    for (int cost = 1; cost < 6; cost++)
        accept[cost] = (uint32_t)(accept[cost - 1] * 0.43);
    hot_start(spin, field);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        half_sweep(spin, field, 0, 2 * sweep, accept);
        half_sweep(spin, field, 1, 2 * sweep + 1, accept);
    }
    long magnet = 0, energy = 0;
#pragma omp parallel for schedule(static) reduction(+ : magnet, energy)
    for (int i = 0; i < L; i++)
        for (int j = 0; j < L; j++) {
            magnet += spin[i][j];
            energy -= spin[i][j] * (spin[i][(j + 1) % L] + spin[(i + 1) % L][j] + field[i][j]);
        }
    printf("magnetisation %ld, energy %ld\n", magnet, energy);
    free(spin);
    free(field);
    return 0;
}
