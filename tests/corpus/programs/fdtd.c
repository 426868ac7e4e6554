// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: static grids of a 2-d Maxwell solver that main sets; each pthread updates its band of rows
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 768, COLUMNS = 512, STEPS = 12, WORKERS = 8 };

static double ez[ROWS][COLUMNS], hx[ROWS][COLUMNS], hy[ROWS][COLUMNS];
static double inverse_eps[ROWS][COLUMNS];
static pthread_barrier_t step_done;

struct band {
    pthread_t thread;
    int from, to;
};

static void set_medium(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int di = i - ROWS / 2, dj = j - COLUMNS / 2;
            inverse_eps[i][j] = di * di + dj * dj < 10000 ? 0.25 : 1.0;
        }
}

static void set_fields(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            ez[i][j] = 1.0 + 0.1 * ((i * 13 + j * 7) % 17);
            hx[i][j] = 0.0;
            hy[i][j] = 0.0;
        }
}

static void update_h(int from, int to)
{
    if (to > ROWS - 1)
        to = ROWS - 1;
    for (int i = from; i < to; i++)
        for (int j = 0; j < COLUMNS - 1; j++) {
            hx[i][j] -= 0.5 * (ez[i][j + 1] - ez[i][j]);
            hy[i][j] += 0.5 * (ez[i + 1][j] - ez[i][j]);
        }
}

static void update_e(int from, int to)
{
    if (from < 1)
        from = 1;
    if (to > ROWS - 1)
        to = ROWS - 1;
    for (int i = from; i < to; i++)
        for (int j = 1; j < COLUMNS - 1; j++) {
            double curl = hy[i][j] - hy[i - 1][j] - hx[i][j] + hx[i][j - 1];
            ez[i][j] += 0.5 * inverse_eps[i][j] * curl;
        }
}

static void *march(void *argument)
{
    struct band *band = argument;
    for (int step = 0; step < STEPS; step++) {
        update_h(band->from, band->to);
        pthread_barrier_wait(&step_done);
        update_e(band->from, band->to);
        pthread_barrier_wait(&step_done);
    }
    return NULL;
}

int main(void)
{
    struct band bands[WORKERS];
    set_medium();
    set_fields();
    pthread_barrier_init(&step_done, NULL, WORKERS);
    for (int w = 0; w < WORKERS; w++) {
        bands[w].from = ROWS / WORKERS * w;
        bands[w].to = ROWS / WORKERS * (w + 1);
        if (pthread_create(&bands[w].thread, NULL, march, &bands[w]))
            exit(1);
    }
    for (int w = 0; w < WORKERS; w++)
        pthread_join(bands[w].thread, NULL);
    pthread_barrier_destroy(&step_done);
    printf("%.6f %.6f %.6f\n", ez[100][100], ez[ROWS / 2][COLUMNS / 2], hx[700][300]);
    return 0;
}
