// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: the program binds itself to the CPUs of one node before it starts threads: nothing to gain
// fix: none
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };
static double *data;
static size_t count = 600000;
static double sums[THREADS];

static void *sum_part(void *argument)
{
    size_t me = (size_t)(double *)argument == 0 ? 0 : (size_t)((double *)argument - sums);
    for (int sweep = 0; sweep < 15; sweep++)
        for (size_t i = count / THREADS * me; i < count / THREADS * (me + 1); i++)
            sums[me] += data[i];
    return NULL;
}

int main(void)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (int cpu = 0; cpu < 4; cpu++)
        CPU_SET(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    data = malloc(count * sizeof *data);
    for (size_t i = 0; i < count; i++)
        data[i] = 1;
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, sum_part, &sums[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    printf("%.1f\n", sums[0] + sums[3]);
}
