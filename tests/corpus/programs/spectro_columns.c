// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-first
// truth: main takes a waterfall of spectra (600 rows of 4096 doubles, 18.8 MiB) from memalign, clears it by memset and then adds the signals; a static loop over the columns gives each thread 512 adjacent channels of every row, one page of each row, in all rounds
// fix: parts
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 600
#define CHANNELS 4096

struct waterfall {
    int rows, channels;
    double *power;
};

static int waterfall_init(struct waterfall *w, int rows, int channels)
{
    size_t bytes = (size_t)rows * channels * sizeof(double);

    w->rows = rows;
    w->channels = channels;
    w->power = memalign(4096, bytes);
    if (!w->power)
        return -1;
    memset(w->power, 0, bytes);
    return 0;
}

static void add_signals(struct waterfall *w)
{
    unsigned state = 77;

    for (int r = 0; r < w->rows; r++) {
        double *row = w->power + (size_t)r * w->channels;
        for (int c = 0; c < w->channels; c++) {
            state = state * 1664525u + 1013904223u;
            row[c] += (double)(state >> 16) / 65536;
        }
        for (int k = 0; k < 20; k++)
            row[(r * 3 + k * 211) % w->channels] += 4;
    }
}

/* Subtracts what changes slowly along the time from each channel; returns what is left over the threshold. */
static long detrend(struct waterfall *w, double keep, double threshold)
{
    long hits = 0;

#pragma omp parallel reduction(+ : hits)
    {
        double mean[CHANNELS];

#pragma omp for schedule(static) nowait
        for (int block = 0; block < w->channels / 512; block++) {
            int first = block * 512;
            memset(mean + first, 0, 512 * sizeof *mean);
            for (int r = 0; r < w->rows; r++) {
                double *row = w->power + (size_t)r * w->channels;
                for (int c = first; c < first + 512; c++) {
                    mean[c] = keep * mean[c] + (1 - keep) * row[c];
                    row[c] -= 0.25 * mean[c];
                    hits += row[c] > threshold;
                }
            }
        }
    }
    return hits;
}

int main(void)
{
    struct waterfall w;
    long hits = 0;

    if (waterfall_init(&w, ROWS, CHANNELS)) {
        perror("waterfall");
        return 1;
    }
    add_signals(&w);
    for (int round = 0; round < 14; round++)
        hits += detrend(&w, 0.9 + 0.005 * round, 3.0 - 0.1 * round);
    printf("%ld hits, first %.6f\n", hits, w.power[17]);
    free(w.power);
    return 0;
}
