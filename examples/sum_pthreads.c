// SPDX-License-Identifier: Apache-2.0
// sum.c with POSIX threads:  sum_pthreads_serial|sum_pthreads_parallel [SWEEPS [MIB]]
//
// One thread for each CPU. With PARALLEL_INIT each fills its own block before it reads it; else main fills them all.
#define _GNU_SOURCE // CPU_COUNT
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct worker {
    pthread_t thread;
    long *block;
    size_t count;
    int sweeps;
    long sum;
};

static void fill(long *block, size_t count)
{
    for (size_t i = 0; i < count; i++)
        block[i] = (long)i;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    long sum = 0;
#ifdef PARALLEL_INIT
    fill(worker->block, worker->count);
#endif
    for (int sweep = 0; sweep < worker->sweeps; sweep++)
        for (size_t i = 0; i < worker->count; i++)
            sum += worker->block[i];
    worker->sum = sum;
    return NULL;
}

static int available_cpus(void)
{
    cpu_set_t cpus;
    return sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40, threads = available_cpus();
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512, count = (mib << 20) / sizeof(long) / (size_t)threads;
    long *a = malloc(count * (size_t)threads * sizeof *a), sum = 0;
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    if (!a || !workers)
        return 1;

#ifndef PARALLEL_INIT
    fill(a, count * (size_t)threads);
#endif
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){.block = a + (size_t)i * count, .count = count, .sweeps = sweeps};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        sum += workers[i].sum;
    }
    printf("sum %ld: %d sweeps of %zu MiB by %d threads\n", sum, sweeps, mib, threads);
    free(workers);
    free(a);
    return 0;
}
