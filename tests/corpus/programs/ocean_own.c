// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: grids as in SPLASH's ocean: main allocates all blocks, each thread sets and relaxes its own and reads borders: nothing to gain
// fix: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, ROWS = 96, COLUMNS = 512, STEPS = 30 };

typedef struct {
    double (*now)[COLUMNS], (*then)[COLUMNS];
} block;

static block blocks[THREADS];
static pthread_barrier_t barrier;

static void relax(int me)
{
    block *own = &blocks[me];
    double(*above)[COLUMNS] = blocks[me ? me - 1 : 0].now, (*below)[COLUMNS] = blocks[me < THREADS - 1 ? me + 1 : me].now;
    for (int i = 0; i < ROWS; i++) {
        const double *up = i ? own->now[i - 1] : above[ROWS - 1];
        const double *down = i < ROWS - 1 ? own->now[i + 1] : below[0];
        for (int j = 1; j < COLUMNS - 1; j++)
            own->then[i][j] = 0.25 * (up[j] + down[j] + own->now[i][j - 1] + own->now[i][j + 1]);
    }
}

static void *slave(void *argument)
{
    int me = (int)(long)argument;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            blocks[me].now[i][j] = blocks[me].then[i][j] = (me * ROWS + i) % 11 + j % 5;
    for (int step = 0; step < STEPS; step++) {
        pthread_barrier_wait(&barrier);
        relax(me);
        pthread_barrier_wait(&barrier);
        block turned = {blocks[me].then, blocks[me].now};
        blocks[me] = turned;
    }
    return NULL;
}

int main(void)
{
    pthread_t team[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
        blocks[t].now = malloc(sizeof(double[ROWS][COLUMNS]));
        blocks[t].then = malloc(sizeof(double[ROWS][COLUMNS]));
    }
    for (long t = 0; t < THREADS; t++)
        pthread_create(&team[t], NULL, slave, (void *)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(team[t], NULL);
    printf("%.9f %.9f\n", blocks[0].now[40][200], blocks[7].now[3][500]);
    return 0;
}
