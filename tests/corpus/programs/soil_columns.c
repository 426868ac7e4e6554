// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-second
// truth: another file has the memory: its field_new calls posix_memalign and memset, which touches six fields (five layers of water and the conductivity, 3 MiB each) first, from main; then an OpenMP team in one parallel region updates the columns, each thread its block in all layers and steps
// fix: parts
// with: soil.h soil_memory.c
#include "soil.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct weather {
    double rain, evaporation;
};

static struct weather weather_at(int hour)
{
    return (struct weather){.rain = hour % 7 == 0 ? 0.02 : 0.0, .evaporation = 0.001 * (1 + hour % 3)};
}

static int soil_start(struct soil *soil)
{
    if (soil->columns % 64 != 0)
        return -1;
    for (size_t c = 0; c < soil->columns; c++) {
        soil->conductivity[c] = 0.05 + 0.01 * (double)(c % 11);
        for (int layer = 0; layer < LAYERS; layer++)
            soil->water[layer][c] = 0.2 + 0.02 * layer + 0.001 * (double)(c % 17);
    }
    return 0;
}

static double percolate(struct soil *soil, size_t c, struct weather now)
{
    double flow = now.rain;
    for (int layer = 0; layer < LAYERS; layer++) {
        double water = soil->water[layer][c] + flow;
        double out = soil->conductivity[c] * water * water;
        if (layer == 0)
            water -= now.evaporation * water;
        soil->water[layer][c] = water - out;
        flow = out;
    }
    return flow;
}

static double simulate(struct soil *soil, int hours)
{
    double drained = 0;
#pragma omp parallel reduction(+ : drained)
    for (int hour = 0; hour < hours; hour++) {
        struct weather now = weather_at(hour);
#pragma omp for schedule(static)
        for (size_t c = 0; c < soil->columns; c++)
            drained += percolate(soil, c, now);
    }
    return drained;
}

static double stored(const struct soil *soil)
{
    double sum = 0;
    for (int layer = 0; layer < LAYERS; layer++)
        for (size_t c = 0; c < soil->columns; c += 64)
            sum += soil->water[layer][c];
    return sum;
}

int main(void)
{
    struct soil *soil = soil_new(6 << 16);
    if (!soil) {
        perror("soil_new");
        return EXIT_FAILURE;
    }
    if (soil_start(soil) != 0) {
        fputs("columns come in blocks of 64\n", stderr);
        soil_free(soil);
        return EXIT_FAILURE;
    }
    double drained = simulate(soil, 16);
    printf("drained %.4f stored %.4f\n", drained, stored(soil));
    soil_free(soil);
    return EXIT_SUCCESS;
}
