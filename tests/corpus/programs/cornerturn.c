// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: main writes cube (4 MiB, pulse rows of one page) and clears map (4 MiB) first; then every thread reads its gates out of every row of cube (transposition, all pages by all), and map is used by blocks of gate rows (static)
// fix: parts, spread
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pulse-Doppler front end: corner turn from pulse-major to gate-major, then slow-time filters. */

#define PULSES 1024
#define GATES 512
#define LOOKS 8
#define TILE 8

typedef float complex cf;

static cf **matrix(int rows, int cols)
{
    void *block;
    cf **r = malloc(rows * sizeof *r);
    if (!r || posix_memalign(&block, 4096, (size_t)rows * cols * sizeof(cf)))
        exit(1);
    for (int i = 0; i < rows; i++)
        r[i] = (cf *)block + (size_t)i * cols;
    return r;
}

static void free_matrix(cf **m)
{
    free(m[0]);
    free(m);
}

static void receive(cf **cube)
{
    unsigned s = 1;
    for (int p = 0; p < PULSES; p++)
        for (int g = 0; g < GATES; g++) {
            s = s * 1664525u + 1013904223u;
            float noise = (float)(s >> 16) / 65536.0f - 0.5f;
            float target = (g % 64 == 5) ? 2.0f : 0.0f;
            int ph = (p * (1 + g / 64)) & 3;
            static const float co[4] = {1, 0, -1, 0}, si[4] = {0, 1, 0, -1};
            cube[p][g] = noise + target * (co[ph] + I * si[ph]);
        }
}

/* gate-major copy with this look's taper, tile by tile */
static void corner_turn(cf **cube, cf **map, const float *taper)
{
#pragma omp parallel for schedule(static)
    for (int g0 = 0; g0 < GATES; g0 += TILE)
        for (int p = 0; p < PULSES; p++)
            for (int g = g0; g < g0 + TILE; g++)
                map[g][p] = taper[p] * cube[p][g];
}

static void clutter_cancel(cf **map, float *power)
{
#pragma omp parallel for schedule(static)
    for (int g = 0; g < GATES; g++) {
        cf *x = map[g];
        cf a = 0, b = 0;
        float e = 0.0f;
        for (int p = 0; p < PULSES; p++) {
            cf c = x[p];
            cf y = c - 2.0f * b + a; /* three-pulse canceller */
            a = b;
            b = c;
            x[p] = y;
        }
        for (int p = 2; p < PULSES; p++)
            e += crealf(x[p]) * crealf(x[p]) + cimagf(x[p]) * cimagf(x[p]);
        power[g] += e / PULSES;
    }
}

int main(void)
{
    cf **cube = matrix(PULSES, GATES), **map = matrix(GATES, PULSES);
    float taper[PULSES], power[GATES] = {0};

    receive(cube);
    memset(map[0], 0, (size_t)GATES * PULSES * sizeof(cf));
    for (int look = 0; look < LOOKS; look++) {
        for (int p = 0; p < PULSES; p++)
            taper[p] = 0.54f - 0.46f * cosf(6.2831853f * (p + look) / (PULSES + LOOKS));
        corner_turn(cube, map, taper);
        clutter_cancel(map, power);
    }
    double total = 0.0, peak = 0.0;
    for (int g = 0; g < GATES; g++) {
        total += power[g];
        if (power[g] > peak)
            peak = power[g];
    }
    printf("clutter residue %.5f peak %.5f\n", total / GATES, peak);
    free_matrix(cube);
    free_matrix(map);
    return 0;
}
