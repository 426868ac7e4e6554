// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: fields with ghost cells in a chunk, each of a posix_memalign behind a wrapper; a serial routine sets them by macros
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 2
#define WIDTH(c) ((c)->x_cells + 2 * DEPTH)
#define FIELD(c, f, j, k) ((c)->f[(size_t)((k) + DEPTH) * WIDTH(c) + (j) + DEPTH])
#define FOR_CELLS(c, j, k) _Pragma("omp for schedule(static) nowait") \
    for (int k = 0; k < (c)->y_cells; k++) for (int j = 0; j < (c)->x_cells; j++)

typedef struct {
    int x_cells, y_cells;
    double *density, *energy, *pressure, *soundspeed, *volume_flux, *mass_flux;
} chunk_t;

static void *field_alloc(size_t bytes)
{
    void *memory;
    if (posix_memalign(&memory, 64, bytes) != 0)
        abort();
    return memory;
}

static double *new_field(const chunk_t *chunk)
{
    return field_alloc(sizeof(double) * WIDTH(chunk) * (chunk->y_cells + 2 * DEPTH));
}

static void build(chunk_t *chunk, int x, int y)
{
    chunk->x_cells = x;
    chunk->y_cells = y;
    chunk->density = new_field(chunk);
    chunk->energy = new_field(chunk);
    chunk->pressure = new_field(chunk);
    chunk->soundspeed = new_field(chunk);
    chunk->volume_flux = new_field(chunk);
    chunk->mass_flux = new_field(chunk);
}

static void generate(chunk_t *chunk)
{
    for (int k = -DEPTH; k < chunk->y_cells + DEPTH; k++)
        for (int j = -DEPTH; j < chunk->x_cells + DEPTH; j++) {
            int state = j < chunk->x_cells / 2 && k < chunk->y_cells / 4;
            FIELD(chunk, density, j, k) = state ? 1.0 : 0.2;
            FIELD(chunk, energy, j, k) = state ? 2.5 : 1.0;
            FIELD(chunk, pressure, j, k) = 0;
            FIELD(chunk, soundspeed, j, k) = 0;
            FIELD(chunk, volume_flux, j, k) = 0;
            FIELD(chunk, mass_flux, j, k) = 0;
        }
}

static void ideal_gas(chunk_t *c)
{
    FOR_CELLS (c, j, k) {
        double p = 0.4 * FIELD(c, density, j, k) * FIELD(c, energy, j, k);
        FIELD(c, pressure, j, k) = p;
        FIELD(c, soundspeed, j, k) = 1.4 * p / FIELD(c, density, j, k);
    }
}

static void fluxes(chunk_t *c, double dt)
{
    FOR_CELLS (c, j, k) {
        FIELD(c, volume_flux, j, k) = dt * (FIELD(c, pressure, j, k) - FIELD(c, pressure, j + 1, k));
        FIELD(c, mass_flux, j, k) = dt * (FIELD(c, soundspeed, j, k) - FIELD(c, soundspeed, j, k + 1));
    }
}

static void advance(chunk_t *c)
{
    FOR_CELLS (c, j, k) {
        FIELD(c, density, j, k) += 0.01 * (FIELD(c, mass_flux, j, k) - FIELD(c, mass_flux, j - 1, k));
        FIELD(c, energy, j, k) += 0.01 * (FIELD(c, volume_flux, j, k) - FIELD(c, volume_flux, j, k - 1));
    }
}

int main(void)
{
    chunk_t chunk;
    build(&chunk, 440, 400);
    generate(&chunk);
    for (int step = 0; step < 9; step++) {
#pragma omp parallel
        {
            ideal_gas(&chunk);
#pragma omp barrier
            fluxes(&chunk, 0.01);
#pragma omp barrier
            advance(&chunk);
        }
    }
    printf("%.9f %.9f\n", FIELD(&chunk, density, 17, 50), FIELD(&chunk, energy, 200, 99));
}
