// SPDX-License-Identifier: Apache-2.0
// timed MS...: for each MS a thread that waits until somebody has pinned it, runs until its CPU time is MS, and ends.
// Prints each thread's number and its CPU time in ns right before its end.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct worker {
    pthread_t thread;
    pid_t tid;
    long long until_ns, ran_ns;
};

static int cpus(void)
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

static long long ran_ns(void)
{
    struct timespec ran;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return ran.tv_sec * 1000000000LL + ran.tv_nsec;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    worker->tid = gettid();
    while (cpus() > 1)
        sched_yield();
    while ((worker->ran_ns = ran_ns()) < worker->until_ns)
        continue;
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker *workers = calloc((size_t)argc, sizeof *workers);
    for (int i = 1; i < argc; i++) {
        workers[i].until_ns = atoll(argv[i]) * 1000000;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            return 1;
    }
    for (int i = 1; i < argc; i++) {
        pthread_join(workers[i].thread, NULL);
        printf("%d %lld\n", (int)workers[i].tid, workers[i].ran_ns);
    }
    free(workers);
    return 0;
}
