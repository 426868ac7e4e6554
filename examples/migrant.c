// SPDX-License-Identifier: Apache-2.0
// Each thread fills its own memory, and then moves to another CPU:  migrant [SWEEPS [MIB]]
//
// As a scheduler may do with threads that nobody pins; here they move by themselves, by half the number of CPUs, so
// that it happens every time. The initialisation is right as it is; the threads must stay.
#define _GNU_SOURCE // CPU_SET
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static size_t count;
static int sweeps;

static void move_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *work(void *argument)
{
    int number = (int)(long)argument, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    long *block = malloc(count * sizeof *block), sum = 0;
    move_to(number % cpus);
    for (size_t i = 0; block && i < count; i++)
        block[i] = (long)i;
    move_to((number + cpus / 2) % cpus);
    for (int sweep = 0; block && sweep < sweeps; sweep++)
        for (size_t i = 0; i < count; i++)
            sum += block[i];
    free(block);
    return (void *)sum;
}

int main(int argc, char **argv)
{
    enum { THREADS = 4 };
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512;
    pthread_t threads[THREADS];
    sweeps = argc > 1 ? atoi(argv[1]) : 40;
    count = (mib << 20) / sizeof(long) / THREADS;
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d threads swept %d times over %zu MiB\n", THREADS, sweeps, mib);
    return 0;
}
