// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: distances as rows of an xmalloc, made and filled by main; threads of POSIX relax blocks of rows over pivots, in step
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, NODES = 1100, PIVOTS = 10 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t all;
    int waiting, phase;
} barrier_t;

static barrier_t barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static double **distance;

static void *xmalloc(size_t bytes)
{
    void *block = malloc(bytes);
    if (!block) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return block;
}

static void await(barrier_t *b)
{
    pthread_mutex_lock(&b->lock);
    int phase = b->phase;
    if (++b->waiting == THREADS) {
        b->waiting = 0;
        b->phase++;
        pthread_cond_broadcast(&b->all);
    }
    while (phase == b->phase)
        pthread_cond_wait(&b->all, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

static double **make_matrix(int n)
{
    double **rows = xmalloc(n * sizeof *rows);
    for (int i = 0; i < n; i++)
        rows[i] = xmalloc(n * sizeof **rows);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rows[i][j] = i == j ? 0 : 1 + (i * 31 + j * 17) % 1000;
    return rows;
}

static void *relax(void *argument)
{
    int me = (int)(size_t)argument, from = NODES * me / THREADS, to = NODES * (me + 1) / THREADS;
    for (int p = 0; p < PIVOTS; p++) {
        int k = (int)((long)NODES * p / PIVOTS);
        const double *pivot = distance[k];
        for (int i = from; i < to; i++) {
            double *row = distance[i], through = row[k];
            for (int j = 0; j < NODES; j++)
                if (i != k && through + pivot[j] < row[j])
                    row[j] = through + pivot[j];
        }
        await(&barrier);
    }
    return NULL;
}

int main(void)
{
    distance = make_matrix(NODES);
    pthread_t team[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        if (pthread_create(&team[t], NULL, relax, (void *)t))
            return 1;
    for (size_t t = 0; t < THREADS; t++)
        pthread_join(team[t], NULL);
    printf("%.1f %.1f\n", distance[3][NODES - 1], distance[NODES - 4][9]);
}
