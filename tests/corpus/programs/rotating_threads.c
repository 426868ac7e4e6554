// SPDX-License-Identifier: Apache-2.0
// truth: prices that main fills; each round starts new threads of POSIX, and each sums another range than in the round before
// fix: spread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, PRICES = 1000000, ROUNDS = 16 };

static double *prices, sums[THREADS][8];
static size_t turn;

static void *total(void *argument)
{
    size_t me = (size_t)argument, part = (me + 3 * turn) % THREADS;
    for (size_t i = PRICES * part / THREADS; i < PRICES * (part + 1) / THREADS; i++)
        sums[me][0] += prices[i];
    return NULL;
}

int main(void)
{
    prices = malloc(sizeof *prices * PRICES);
    for (size_t i = 0; i < PRICES; i++)
        prices[i] = 1 + i % 1009;
    for (turn = 0; turn < ROUNDS; turn++) {
        pthread_t team[THREADS];
        for (size_t t = 0; t < THREADS; t++)
            pthread_create(&team[t], NULL, total, (void *)t);
        for (size_t t = 0; t < THREADS; t++)
            pthread_join(team[t], NULL);
    }
    double sum = 0;
    for (size_t t = 0; t < THREADS; t++)
        sum += sums[t][0];
    printf("%.3f\n", sum);
}
