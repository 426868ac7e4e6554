// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fifth
// truth: a steel slab that solidifies, 512 rows of 1024 cells: main allocates everything (calloc of the two buffers of the enthalpy, 4 MiB each, which comes fresh from mmap and is not touched; malloc of the spray, floats, 2 MiB), but the threads write all of it first, in pour(), whose loop over the rows (omp for) has the same static division as that of cool(): the same 64 rows a thread in both buffers and the spray in all 40 steps, however the buffers are swapped; main alone writes first the table of temperatures (4096 floats, 16 KiB, all threads read it, it stays in the caches), and reads one cell of each 32nd row a step; about none of the requests are remote (a thread reads one row, 8 KiB, of each neighbour): nothing to gain
// fix: none
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 512, WIDTH = 1024, LEVELS = 4096, STEPS = 40, THREADS = 8 };

static const double POURED = 1.35e6, PER_LEVEL = 1.5e6 / LEVELS; // J/kg

struct caster {
    double (*now)[WIDTH], (*next)[WIDTH]; // enthalpy
    float (*spray)[WIDTH];
    float *temperature; // by enthalpy
};

static double solid_fraction(double enthalpy)
{
    double liquid = (enthalpy - 0.95e6) / 0.27e6;
    return liquid < 0 ? 1 : liquid > 1 ? 0 : 1 - liquid;
}

// Tabulated: the heat capacity changes with the phases of the steel.
static int make_table(struct caster *c)
{
    double degrees = 20;

    c->temperature = malloc(LEVELS * sizeof *c->temperature);
    if (c->temperature == NULL)
        return -1;
    for (int l = 0; l < LEVELS; l++) {
        double melting = solid_fraction(l * PER_LEVEL);
        double capacity = melting > 0 && melting < 1 ? 5200 : 640 + 220 * exp(-pow((degrees - 750) / 90, 2));
        c->temperature[l] = (float)degrees;
        degrees += PER_LEVEL / capacity;
    }
    return 0;
}

static int make_slab(struct caster *c)
{
    c->now = calloc(ROWS, sizeof *c->now);
    c->next = calloc(ROWS, sizeof *c->next);
    c->spray = malloc(ROWS * sizeof *c->spray);
    return c->now == NULL || c->next == NULL || c->spray == NULL ? -1 : 0;
}

static void pour(struct caster *c)
{
#pragma omp for schedule(static)
    for (int r = 0; r < ROWS; r++)
        for (int w = 0; w < WIDTH; w++) {
            double edge = fabs(w - WIDTH / 2.0) / (WIDTH / 2.0);
            c->now[r][w] = POURED - 2e5 * edge * r / ROWS;
            c->next[r][w] = 0;
            c->spray[r][w] = (float)((r / 16 % 2 ? 900 : 350) * (1 - 0.4 * edge));
        }
}

static inline double degrees(const struct caster *c, double enthalpy)
{
    double place = enthalpy / PER_LEVEL;
    int level = (int)place;

    if (level < 0)
        return c->temperature[0];
    if (level >= LEVELS - 1)
        return c->temperature[LEVELS - 1];
    return c->temperature[level] + (place - level) * (c->temperature[level + 1] - c->temperature[level]);
}

// One step: heat is conducted, the water takes some, and the strand moves on by a part of a row.
static void cool(struct caster *c, double speed)
{
#pragma omp for schedule(static)
    for (int r = 0; r < ROWS; r++) {
        const double *row = c->now[r], *above = c->now[r > 0 ? r - 1 : 0], *below = c->now[r < ROWS - 1 ? r + 1 : r];
        double left = degrees(c, row[0]), here = left;

        for (int w = 0; w < WIDTH; w++) {
            double right = degrees(c, row[w < WIDTH - 1 ? w + 1 : w]);
            double around = left + right - 2 * here;
            double along = 0.25 * (above[w] + below[w] - 2 * row[w]);
            double before = r > 0 ? above[w] : POURED;
            c->next[r][w] = row[w] + 90 * around + 0.1 * along - 4 * c->spray[r][w] * (here - 30) / 300 +
                            speed * (before - row[w]);
            left = here;
            here = right;
        }
    }
}

static double shell(const struct caster *c)
{
    double sum = 0;
    for (int r = 0; r < ROWS; r += 32)
        sum += solid_fraction(c->now[r][WIDTH / 2]);
    return sum / (ROWS / 32);
}

int main(void)
{
    struct caster c;
    double solid = 0, speed = 0.01;

    if (make_table(&c) != 0 || make_slab(&c) != 0) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
#pragma omp parallel num_threads(THREADS)
    {
        pour(&c);
        for (int step = 0; step < STEPS; step++) {
            cool(&c, speed);
#pragma omp master
            {
                double (*old)[WIDTH] = c.now;
                c.now = c.next;
                c.next = old;
                solid = shell(&c);
                speed = solid > 0.05 ? 0.03 : 0.01; // no breakout
            }
#pragma omp barrier
        }
    }
    printf("solid %.4f, surface %.1f degrees\n", solid, degrees(&c, c.now[ROWS - 1][0]));
    free(c.now);
    free(c.next);
    free(c.spray);
    free(c.temperature);
    return 0;
}
