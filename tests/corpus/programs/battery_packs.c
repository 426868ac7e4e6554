// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fifth
// truth: a fleet of battery packs: fleet_new, in main, maps one anonymous block (mmap, 7.8 MiB), clears all of it by memset and cuts it into seven arrays over the cells (163840 cells; six of doubles, 1.25 MiB each, and one of cell ages, uint16_t, 0.31 MiB) and two over the packs (2048 packs, 16 KiB each); set_cells of main fills some of them; afterwards each OpenMP thread uses the same block of 256 packs, that is an eighth of each array but not of the block, in all steps (schedule(static) in drive, relax and age); half of the requests are remote, nearly all of them would go if each thread cleared its part of each array
// fix: parts
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PACKS = 2048, CELLS_OF_PACK = 80, CELLS = PACKS * CELLS_OF_PACK, STEPS = 24 };

struct fleet {
    double *charge;      // part of the capacity
    double *capacity;    // Ah
    double *resistance;  // ohm
    double *overvoltage; // of the RC pair, V
    double *temperature; // degrees
    double *voltage;
    uint16_t *worn; // hours above 35 degrees
    double *current, *power; // of each pack
    void *block;
    size_t size;
};

static size_t round_up(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

static void *cut(const struct fleet *fleet, size_t *used, size_t count, size_t size)
{
    void *piece = (char *)fleet->block + *used;

    *used += round_up(count * size);
    if (*used > fleet->size)
        abort();
    return piece;
}

static int fleet_new(struct fleet *fleet)
{
    size_t used = 0;

    fleet->size = 6 * round_up(CELLS * sizeof(double)) + round_up(CELLS * sizeof(uint16_t)) +
                  2 * round_up(PACKS * sizeof(double));
    fleet->block = mmap(NULL, fleet->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fleet->block == MAP_FAILED)
        return -1;
    memset(fleet->block, 0, fleet->size);
    fleet->charge = cut(fleet, &used, CELLS, sizeof *fleet->charge);
    fleet->capacity = cut(fleet, &used, CELLS, sizeof *fleet->capacity);
    fleet->worn = cut(fleet, &used, CELLS, sizeof *fleet->worn);
    fleet->resistance = cut(fleet, &used, CELLS, sizeof *fleet->resistance);
    fleet->overvoltage = cut(fleet, &used, CELLS, sizeof *fleet->overvoltage);
    fleet->temperature = cut(fleet, &used, CELLS, sizeof *fleet->temperature);
    fleet->voltage = cut(fleet, &used, CELLS, sizeof *fleet->voltage);
    fleet->current = cut(fleet, &used, PACKS, sizeof *fleet->current);
    fleet->power = cut(fleet, &used, PACKS, sizeof *fleet->power);
    return 0;
}

static void set_cells(struct fleet *fleet)
{
    uint32_t state = 2026;

    for (int c = 0; c < CELLS; c++) {
        state = state * 1664525u + 1013904223u;
        fleet->charge[c] = 0.9 - 0.02 * (state >> 24) / 256;
        fleet->capacity[c] = 5 - 0.3 * (state >> 16 & 255) / 256;
        fleet->resistance[c] = 0.02 + 0.004 * (state >> 8 & 255) / 256;
        fleet->temperature[c] = 20;
    }
    for (int p = 0; p < PACKS; p++)
        fleet->power[p] = 1000 + p % 64 * 20;
}

static double open_circuit(double charge)
{
    return 3.1 + charge * (1.9 + charge * (-2.6 + charge * 1.75));
}

// The cells of a pack are in series: one current, and its weakest cell decides when it stops.
static void drive(struct fleet *fleet, double load, double seconds)
{
#pragma omp parallel for schedule(static)
    for (int p = 0; p < PACKS; p++) {
        size_t first = (size_t)p * CELLS_OF_PACK, last = first + CELLS_OF_PACK;
        double sum = 0, weakest = 1;
        for (size_t c = first; c < last; c++) {
            fleet->voltage[c] = open_circuit(fleet->charge[c]) - fleet->overvoltage[c];
            sum += fleet->voltage[c] - fleet->resistance[c] * fleet->current[p];
            weakest = fmin(weakest, fleet->charge[c]);
        }
        fleet->current[p] = weakest > 0.1 ? load * fleet->power[p] / sum : 0;
        for (size_t c = first; c < last; c++)
            fleet->charge[c] -= fleet->current[p] * seconds / 3600 / fleet->capacity[c];
    }
}

static void relax(struct fleet *fleet, double outside, double seconds)
{
#pragma omp parallel for schedule(static)
    for (int p = 0; p < PACKS; p++) {
        size_t first = (size_t)p * CELLS_OF_PACK, last = first + CELLS_OF_PACK;
        double current = fleet->current[p], keep = exp(-seconds / 90);
        for (size_t c = first; c < last; c++) {
            double heat = fleet->resistance[c] * current * current + fleet->overvoltage[c] * current;
            fleet->overvoltage[c] = keep * fleet->overvoltage[c] + (1 - keep) * 0.012 * current;
            fleet->temperature[c] += seconds / 40 * (heat - 0.05 * (fleet->temperature[c] - outside));
            if (fleet->temperature[c] > 35)
                fleet->worn[c]++;
        }
    }
}

static void age(struct fleet *fleet)
{
#pragma omp parallel for schedule(static)
    for (int p = 0; p < PACKS; p++)
        for (size_t c = (size_t)p * CELLS_OF_PACK; c < (size_t)(p + 1) * CELLS_OF_PACK; c++) {
            fleet->resistance[c] *= 1 + 1e-4 * fleet->worn[c];
            fleet->capacity[c] *= 1 - 4e-5 * fleet->worn[c];
        }
}

int main(void)
{
    static struct fleet fleet;
    double left = 0;
    unsigned long worn = 0;

    if (fleet_new(&fleet) != 0) {
        perror("mmap");
        return EXIT_FAILURE;
    }
    set_cells(&fleet);
    for (int step = 0; step < STEPS; step++) {
        drive(&fleet, step % 4 == 3 ? -0.5 : 1.5, 60); // braking charges the cells
        relax(&fleet, 15, 60);
        if (step % 3 == 2)
            age(&fleet);
    }
    for (int c = 0; c < CELLS; c += 64) {
        left += fleet.charge[c];
        worn += fleet.worn[c];
    }
    printf("mean charge %.5f, %lu hot steps\n", left / (CELLS / 64), worn);
    munmap(fleet.block, fleet.size);
    return EXIT_SUCCESS;
}
