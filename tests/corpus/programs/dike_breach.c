// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twentieth
// truth: main takes two depths by calloc (8 MiB each, swapped after each step) and sets only the walls in the first and the last column of each row, which touches every page; it sets the ground (malloc, 8 MiB) as a whole; eight pthreads flood bands of rows between barriers
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1024
#define COLS 1024
#define WORKERS 8
#define STEPS 24

typedef struct {
    double *now, *next;
    double *ground;
    pthread_barrier_t barrier;
} Polder;

typedef struct {
    Polder *polder;
    int first, last;
} Band;

static Polder *polder_new(void)
{
    Polder *p = calloc(1, sizeof(*p));

    p->now = calloc((size_t)ROWS * COLS, sizeof(double));
    p->next = calloc((size_t)ROWS * COLS, sizeof(double));
    p->ground = malloc(sizeof(double) * ROWS * COLS);
    if (!p->now || !p->next || !p->ground)
        return NULL;
    for (int r = 0; r < ROWS; r++) {
        p->now[r * COLS] = p->next[r * COLS] = 3.0;
        p->now[r * COLS + COLS - 1] = p->next[r * COLS + COLS - 1] = 1.0;
    }
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            p->ground[r * COLS + c] = 0.002 * ((r * 7 + c * 3) % 101);
    pthread_barrier_init(&p->barrier, NULL, WORKERS);
    return p;
}

static void flood(const double *restrict h, double *restrict out, const double *restrict z, int first, int last)
{
    for (int r = first; r < last; r++) {
        int up = r > 0 ? r - 1 : r, down = r < ROWS - 1 ? r + 1 : r;

        for (int c = 1; c < COLS - 1; c++) {
            double level = h[r * COLS + c] + z[r * COLS + c];
            double flow = h[up * COLS + c] + z[up * COLS + c] + h[down * COLS + c] + z[down * COLS + c] +
                          h[r * COLS + c - 1] + z[r * COLS + c - 1] + h[r * COLS + c + 1] + z[r * COLS + c + 1] -
                          4 * level;
            double wet = h[r * COLS + c] + 0.2 * flow;
            out[r * COLS + c] = wet > 0 ? wet : 0;
        }
    }
}

static void *worker(void *arg)
{
    Band *band = arg;
    Polder *p = band->polder;

    for (int step = 0; step < STEPS; step++) {
        flood(p->now, p->next, p->ground, band->first, band->last);
        if (pthread_barrier_wait(&p->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            double *old = p->now;
            p->now = p->next;
            p->next = old;
        }
        pthread_barrier_wait(&p->barrier);
    }
    return NULL;
}

int main(void)
{
    Polder *polder = polder_new();
    pthread_t id[WORKERS];
    Band bands[WORKERS];
    double wet = 0;

    if (!polder)
        return EXIT_FAILURE;
    for (int w = 0; w < WORKERS; w++) {
        bands[w] = (Band){polder, ROWS * w / WORKERS, ROWS * (w + 1) / WORKERS};
        pthread_create(&id[w], NULL, worker, &bands[w]);
    }
    for (int w = 0; w < WORKERS; w++)
        pthread_join(id[w], NULL);
    for (int c = 0; c < COLS; c++)
        wet += polder->now[(ROWS / 2) * COLS + c];
    printf("%.9f\n", wet);
    free(polder->now);
    free(polder->next);
    free(polder->ground);
    free(polder);
    return 0;
}
