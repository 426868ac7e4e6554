// SPDX-License-Identifier: Apache-2.0
// truth: a bar of cells that main fills; each step starts new threads of POSIX, and each relaxes the range of its number
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, CELLS = 800000, STEPS = 10 };

static double *now, *next;

static void *relax(void *argument)
{
    size_t me = (size_t)argument, from = 1 + (CELLS - 2) * me / THREADS, to = 1 + (CELLS - 2) * (me + 1) / THREADS;
    for (size_t i = from; i < to; i++)
        next[i] = now[i] + 0.1 * (now[i - 1] - 2 * now[i] + now[i + 1]);
    return NULL;
}

int main(void)
{
    now = malloc(sizeof *now * CELLS);
    next = malloc(sizeof *next * CELLS);
    for (size_t i = 0; i < CELLS; i++)
        now[i] = next[i] = i % 97;
    for (int step = 0; step < STEPS; step++) {
        pthread_t team[THREADS];
        for (size_t t = 0; t < THREADS; t++)
            pthread_create(&team[t], NULL, relax, (void *)t);
        for (size_t t = 0; t < THREADS; t++)
            pthread_join(team[t], NULL);
        double *last = now;
        now = next;
        next = last;
    }
    printf("%.9f\n", now[CELLS / 3]);
}
