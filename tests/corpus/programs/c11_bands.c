// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: three grids as pointers to rows of a size known at run time, set by memcpy of a first row; C11 threads own bands
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { TEAM = 8 };

typedef struct {
    size_t rows, columns;
    double *old, *now, *next;
    int steps;
} wave_t;

typedef struct {
    wave_t *wave;
    size_t first, last;
} band_t;

static mtx_t lock;
static cnd_t everybody;
static int arrived, generation;

static void meet(void)
{
    mtx_lock(&lock);
    int mine = generation;
    if (++arrived == TEAM) {
        arrived = 0;
        generation++;
        cnd_broadcast(&everybody);
    }
    while (mine == generation)
        cnd_wait(&everybody, &lock);
    mtx_unlock(&lock);
}

static void step(size_t n, const double (*restrict old)[n], const double (*restrict now)[n], double (*restrict next)[n],
                 size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        for (size_t j = 1; j < n - 1; j++)
            next[i][j] = 2 * now[i][j] - old[i][j] +
                         0.2 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4 * now[i][j]);
}

static int run(void *argument)
{
    band_t *band = argument;
    wave_t *w = band->wave;
    double *old = w->old, *now = w->now, *next = w->next;
    for (int s = 0; s < w->steps; s++) {
        step(w->columns, (const double(*)[w->columns])old, (const double(*)[w->columns])now, (double(*)[w->columns])next,
             band->first, band->last);
        double *spare = old;
        old = now;
        now = next;
        next = spare;
        meet();
    }
    return 0;
}

static void set(wave_t *w)
{
    size_t n = w->columns;
    double(*now)[n] = malloc(w->rows * sizeof *now), (*old)[n] = malloc(w->rows * sizeof *old);
    double(*next)[n] = calloc(w->rows, sizeof *next);
    for (size_t j = 0; j < n; j++)
        now[0][j] = (double)(j % 50) * 0.01;
    for (size_t i = 1; i < w->rows; i++)
        memcpy(now[i], now[0], sizeof *now);
    for (size_t i = 0; i < w->rows; i++)
        memcpy(old[i], now[i], sizeof *old);
    w->old = *old;
    w->now = *now;
    w->next = *next;
}

int main(void)
{
    wave_t wave = {.rows = 514, .columns = 512, .steps = 14};
    set(&wave);
    mtx_init(&lock, mtx_plain);
    cnd_init(&everybody);
    thrd_t team[TEAM];
    band_t bands[TEAM];
    for (size_t t = 0; t < TEAM; t++) {
        bands[t] = (band_t){&wave, 1 + t * (wave.rows - 2) / TEAM, 1 + (t + 1) * (wave.rows - 2) / TEAM};
        thrd_create(&team[t], run, &bands[t]);
    }
    for (size_t t = 0; t < TEAM; t++)
        thrd_join(team[t], NULL);
    printf("%.12f\n", wave.now[300 * wave.columns + 77]);
}
