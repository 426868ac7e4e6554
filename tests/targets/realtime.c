// SPDX-License-Identifier: Apache-2.0
// A real-time thread and an ordinary one allocate large blocks on the same CPU. The kernel ends the program (SIGXCPU)
// where the real-time thread uses 100 ms of CPU time without sleep: where it spins for what the ordinary thread holds.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { BLOCK_BYTES = 70000, ROUNDS = 1000 };

static _Atomic int done;

static void allocate(void)
{
    char *block = malloc(BLOCK_BYTES);
    if (block)
        *(volatile char *)block = 1;
    free(block);
}

static void *run_realtime(void *unused)
{
    const struct timespec nap = {.tv_nsec = 50000};
    for (int i = 0; i < ROUNDS; i++) {
        nanosleep(&nap, NULL);
        allocate();
    }
    done = 1;
    return unused;
}

int main(void)
{
    const struct rlimit limit = {.rlim_cur = 100000, .rlim_max = RLIM_INFINITY};
    const struct sched_param parameters = {.sched_priority = 10};
    cpu_set_t one;
    pthread_attr_t attributes;
    pthread_t thread;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    setrlimit(RLIMIT_RTTIME, &limit);
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &parameters);
    if (pthread_create(&thread, &attributes, run_realtime, NULL) != 0) {
        puts("no real-time threads here");
        return 77;
    }
    while (!done)
        allocate();
    pthread_join(thread, NULL);
    return 0;
}
