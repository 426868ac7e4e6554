// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: series (static, 6 MiB) is written by main and only main reads it (serial smoothing); the threads use the spin lattices (static, 32 KiB in all, in caches) under schedule(dynamic) and sections
// fix: none
#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* Ising replicas at several temperatures, and a recursive noise filter on a long calibration
 * series. The filter is a recurrence, so it stays serial. */

#define L 64
#define REPLICAS 8
#define SWEEPS 24
#define SERIES 786432
#define LEVELS 6

static int8_t spin[REPLICAS][L][L];
static double boltz[REPLICAS][5];
static double series[SERIES];

static void setup(void)
{
    for (int r = 0; r < REPLICAS; r++) {
        double beta = 0.30 + 0.03 * r;
        for (int k = 0; k < 5; k++)
            boltz[r][k] = exp(-2.0 * beta * (2 * k - 4));
        for (int y = 0; y < L; y++)
            for (int x = 0; x < L; x++)
                spin[r][y][x] = ((x * 7 + y * 13 + r) % 3) ? 1 : -1;
    }
}

static void sweep(int r, uint32_t *rng)
{
    for (int y = 0; y < L; y++)
        for (int x = 0; x < L; x++) {
            int nb = spin[r][(y + 1) % L][x] + spin[r][(y + L - 1) % L][x] +
                     spin[r][y][(x + 1) % L] + spin[r][y][(x + L - 1) % L];
            int k = (spin[r][y][x] * nb + 4) / 2;
            *rng ^= *rng << 13;
            *rng ^= *rng >> 17;
            *rng ^= *rng << 5;
            if (*rng * (1.0 / 4294967296.0) < boltz[r][k])
                spin[r][y][x] = -spin[r][y][x];
        }
}

static void record_series(void)
{
    uint32_t s = 42;
    double drift = 0.0;
    for (int i = 0; i < SERIES; i++) {
        s = s * 1664525u + 1013904223u;
        drift = 0.999 * drift + ((double)(s >> 8) / 16777216.0 - 0.5);
        series[i] = drift;
    }
}

static double smooth(double alpha)
{
    double level = series[0], err = 0.0;
    for (int i = 1; i < SERIES; i++) {
        double e = series[i] - level;
        level += alpha * e;
        err += e * e;
        series[i] = level;
    }
    return err / SERIES;
}

int main(void)
{
    long up = 0, bonds = 0;
    double rms = 0.0;

    setup();
#pragma omp parallel for schedule(dynamic, 1)
    for (int r = 0; r < REPLICAS; r++) {
        uint32_t rng = 2463534242u + 97u * r;
        for (int s = 0; s < SWEEPS; s++)
            sweep(r, &rng);
    }
    const int8_t *flat = &spin[0][0][0];
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < REPLICAS * L * L; i++)
            up += flat[i] > 0;
#pragma omp section
        for (int i = 0; i + 1 < REPLICAS * L * L; i++)
            bonds += flat[i] * flat[i + 1];
    }

    record_series();
    for (int k = 0; k < LEVELS; k++)
        rms += smooth(0.5 / (k + 1));
    printf("up %ld bonds %ld residual %.9f\n", up, bonds, rms);
    return 0;
}
