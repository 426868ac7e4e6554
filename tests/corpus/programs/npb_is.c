// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: NPB's IS: static keys made in parallel as they are used, ranked into private buckets; what is scattered goes anywhere
// fix: none
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM_KEYS (1 << 20)
#define MAX_KEY (1 << 11)
#define ITERATIONS 6

typedef int INT_TYPE;

static INT_TYPE key_array[NUM_KEYS], key_buff1[MAX_KEY];
static INT_TYPE *bucket[64];

static void create_seq(void)
{
#pragma omp parallel
    {
        unsigned state = 314159u + 271u * (unsigned)omp_get_thread_num();
#pragma omp for schedule(static)
        for (int i = 0; i < NUM_KEYS; i++) {
            state = state * 1664525u + 1013904223u;
            key_array[i] = (INT_TYPE)((state >> 8) % MAX_KEY);
        }
    }
}

static void rank(int iteration)
{
    key_array[iteration] = iteration;
    key_array[iteration + ITERATIONS] = MAX_KEY - iteration;
    memset(key_buff1, 0, sizeof key_buff1);
#pragma omp parallel
    {
        INT_TYPE *mine = bucket[omp_get_thread_num()];
        memset(mine, 0, MAX_KEY * sizeof *mine);
#pragma omp for schedule(static)
        for (int i = 0; i < NUM_KEYS; i++)
            mine[key_array[i] % MAX_KEY]++;
#pragma omp critical
        for (int k = 0; k < MAX_KEY; k++)
            key_buff1[k] += mine[k];
    }
}

int main(void)
{
    for (int t = 0; t < omp_get_max_threads(); t++)
        bucket[t] = malloc(MAX_KEY * sizeof(INT_TYPE));
    create_seq();
    for (int iteration = 1; iteration <= ITERATIONS; iteration++)
        rank(iteration);
    long sum = 0;
    for (int k = 0; k < MAX_KEY; k++)
        sum += (long)k * key_buff1[k];
    printf("%ld\n", sum);
    return 0;
}
