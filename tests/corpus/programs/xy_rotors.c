// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, seventeenth
// truth: main maps the lattice and writes only a header page; each pthread fills its own tile (2 MiB, stored whole, tiles taken in the opposite order of the threads) and sweeps it itself, with neighbours' values only at the edges: all is local already
// fix: none
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

/* Over-relaxation of the XY model on a torus of 4 x 2 tiles. */

enum { SIDE = 512, TILES_X = 4, TILES_Y = 2, TILES = TILES_X * TILES_Y, SWEEPS = 36 };

struct spin {
    float x, y;
};
struct header {
    uint32_t magic, tiles_x, tiles_y, side;
    float temperature;
    char rest[4096 - 20];
};
struct lattice {
    struct header header;
    struct spin tile[TILES][SIDE][SIDE];
};

static struct lattice *lattice;
static pthread_barrier_t phase;
static double energy[TILES][8];

static void seed_tile(int number)
{
    uint32_t state = lattice->header.magic + 977u * (uint32_t)number;

    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            state = state * 1664525u + 1013904223u;
            float u = (float)(state >> 8) / 8388608.0f - 1.0f;
            float angle = lattice->header.temperature * u;
            lattice->tile[number][r][c] = (struct spin){1.0f - 0.5f * angle * angle, angle};
        }
}

/* The spin at row r, column c of a tile, where both may be one outside of it. */
static inline struct spin at(int number, int r, int c)
{
    int ty = number / TILES_X, tx = number % TILES_X;

    if (r < 0 || r >= SIDE) {
        ty = (ty + (r < 0 ? TILES_Y - 1 : 1)) % TILES_Y;
        r &= SIDE - 1;
    }
    if (c < 0 || c >= SIDE) {
        tx = (tx + (c < 0 ? TILES_X - 1 : 1)) % TILES_X;
        c &= SIDE - 1;
    }
    return lattice->tile[ty * TILES_X + tx][r][c];
}

static void relax(int number, int colour)
{
    struct spin(*own)[SIDE] = lattice->tile[number];

    for (int r = 0; r < SIDE; r++)
        for (int c = (r + colour) & 1; c < SIDE; c += 2) {
            struct spin n = at(number, r - 1, c), s = at(number, r + 1, c);
            struct spin w = at(number, r, c - 1), e = at(number, r, c + 1);
            float x = n.x + s.x + w.x + e.x, y = n.y + s.y + w.y + e.y;
            float strength = x * x + y * y + 1e-12f;
            float twice = 2.0f * (own[r][c].x * x + own[r][c].y * y) / strength;
            own[r][c].x = twice * x - own[r][c].x;
            own[r][c].y = twice * y - own[r][c].y;
        }
}

static void *run(void *argument)
{
    int number = TILES - 1 - (int)(intptr_t)argument;

    seed_tile(number);
    pthread_barrier_wait(&phase);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int colour = 0; colour < 2; colour++) {
            relax(number, colour);
            pthread_barrier_wait(&phase);
        }
    double sum = 0;
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            struct spin here = at(number, r, c), s = at(number, r + 1, c), e = at(number, r, c + 1);
            sum -= here.x * (s.x + e.x) + here.y * (s.y + e.y);
        }
    energy[number][0] = sum;
    return NULL;
}

int main(void)
{
    pthread_t threads[TILES];
    double total = 0;

    lattice = mmap(NULL, sizeof *lattice, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lattice == MAP_FAILED)
        return 1;
    lattice->header = (struct header){0x5859u, TILES_X, TILES_Y, SIDE, 0.7f, {0}};
    pthread_barrier_init(&phase, NULL, TILES);
    for (int t = 0; t < TILES; t++)
        if (pthread_create(&threads[t], NULL, run, (void *)(intptr_t)t) != 0)
            return 1;
    for (int t = 0; t < TILES; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < TILES; t++)
        total += energy[t][0];
    printf("energy per spin %.4f\n", total / (TILES * SIDE * SIDE));
    munmap(lattice, sizeof *lattice);
}
