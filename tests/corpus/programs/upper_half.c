// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: main sets the second half of two arrays of calloc only; pthreads between own barriers smooth blocks of all of both
// fix: parts
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 8, COUNT = 1 << 19, ROUNDS = 12 };

static double *level, *slope;
static atomic_int arrived, generation;

static void meet(void)
{
    int mine = atomic_load(&generation);
    if (atomic_fetch_add(&arrived, 1) == WORKERS - 1) {
        atomic_store(&arrived, 0);
        atomic_fetch_add(&generation, 1);
        return;
    }
    while (atomic_load(&generation) == mine)
        sched_yield();
}

static void *smooth(void *argument)
{
    size_t id = (size_t)argument, first = COUNT / WORKERS * id, last = first + COUNT / WORKERS;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = first; i < last; i++)
            slope[i] = 0.5 * slope[i] + 0.25 * (level[i ? i - 1 : 0] + level[i + 1 < COUNT ? i + 1 : i]);
        meet();
        for (size_t i = first; i < last; i++)
            level[i] += 0.01 * slope[i];
        meet();
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    level = calloc(COUNT, sizeof *level);
    slope = calloc(COUNT, sizeof *slope);
    for (size_t i = COUNT / 2; i < COUNT; i++) {
        level[i] = (double)(i % 31);
        slope[i] = (double)(i % 5);
    }
    for (size_t id = 0; id < WORKERS; id++)
        pthread_create(&workers[id], NULL, smooth, (void *)id);
    for (int id = 0; id < WORKERS; id++)
        pthread_join(workers[id], NULL);
    printf("%.9f %.9f\n", level[COUNT - 77], slope[1234]);
    return 0;
}
