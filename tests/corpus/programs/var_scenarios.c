// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, seventeenth
// truth: main reads the 16 MiB of prices from a file into an array grown by realloc (its last half stays unused) and then scales them, all of it serially; each of eight pthreads uses its eighth of the instruments in each of 20 passes: the threads of the other node read it all remotely
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Value at risk by historical simulation: worst and mean loss over several holding periods. */

enum { DAYS = 512, INSTRUMENTS = 8192, CHUNK = 128, WORKERS = 8, PERIODS = 20 };
static const char *const path = "var_scenarios.tmp";

struct history {
    float *price; /* one row of DAYS for each instrument */
    size_t rows, room;
};

struct job {
    const struct history *history;
    size_t first, last;
    double worst[PERIODS], shortfall[PERIODS];
    pthread_t thread;
};

static int export_prices(void)
{
    FILE *file = fopen(path, "wb");
    unsigned state = 20081015u;
    float row[DAYS];

    if (!file)
        return -1;
    for (int i = 0; i < INSTRUMENTS; i++) {
        row[0] = 20.0f + (float)(i % 83);
        for (int d = 1; d < DAYS; d++) {
            state = state * 1664525u + 1013904223u;
            row[d] = row[d - 1] * (1.0f + 0.02f * ((float)(state >> 8) / 8388608.0f - 0.99f));
        }
        fwrite(row, sizeof *row, DAYS, file);
    }
    return fclose(file);
}

static int import_prices(struct history *history)
{
    FILE *file = fopen(path, "rb");
    size_t got;

    if (!file)
        return -1;
    do {
        if (history->rows + CHUNK > history->room) {
            history->room = history->room ? 2 * history->room : CHUNK;
            float *bigger = realloc(history->price, history->room * DAYS * sizeof(float));
            if (!bigger)
                exit(1);
            history->price = bigger;
        }
        got = fread(history->price + history->rows * DAYS, DAYS * sizeof(float), CHUNK, file);
        history->rows += got;
    } while (got == CHUNK);
    fclose(file);
    return remove(path);
}

/* prices in units of each instrument's first one */
static void normalise(struct history *history)
{
    for (size_t i = 0; i < history->rows; i++) {
        float *row = history->price + i * DAYS, unit = 1.0f / row[0];
        for (int d = 0; d < DAYS; d++)
            row[d] *= unit;
    }
}

static void *simulate(void *argument)
{
    struct job *job = argument;

    for (int p = 0; p < PERIODS; p++) {
        int held = 1 + 2 * p;
        double worst = 0, shortfall = 0;
        for (size_t i = job->first; i < job->last; i++) {
            const float *row = job->history->price + i * DAYS;
            float lowest = 0, below = 0;
            for (int d = held; d < DAYS; d++) {
                float change = row[d] - row[d - held]; /* of the first price */
                lowest = change < lowest ? change : lowest;
                below += change < -0.02f ? change : 0.0f;
            }
            worst += lowest;
            shortfall += below;
        }
        job->worst[p] = worst;
        job->shortfall[p] = shortfall;
    }
    return NULL;
}

int main(void)
{
    struct history history = {0};
    static struct job jobs[WORKERS];

    if (export_prices() != 0 || import_prices(&history) != 0)
        return 1;
    normalise(&history);
    for (int w = 0; w < WORKERS; w++) {
        jobs[w].history = &history;
        jobs[w].first = history.rows * w / WORKERS;
        jobs[w].last = history.rows * (w + 1) / WORKERS;
        if (pthread_create(&jobs[w].thread, NULL, simulate, &jobs[w]) != 0)
            return 1;
    }
    for (int w = 0; w < WORKERS; w++)
        pthread_join(jobs[w].thread, NULL);
    for (int p = 0; p < PERIODS; p++) {
        double worst = 0, shortfall = 0;
        for (int w = 0; w < WORKERS; w++)
            worst += jobs[w].worst[p], shortfall += jobs[w].shortfall[p];
        printf("%2d days: worst %.5f shortfall %.4f\n", 1 + 2 * p, worst / history.rows,
               shortfall / history.rows);
    }
    free(history.price);
}
