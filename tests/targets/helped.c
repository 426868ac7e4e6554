// SPDX-License-Identifier: Apache-2.0
// helped: a thread of a library (this file with -DHELPER), then one of the program's own; the first lives to the end.
// Prints how many CPUs the library's thread may use.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

void *help(void *both);

#ifdef HELPER

void *help(void *both)
{
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    printf("%d\n", CPU_COUNT(&cpus));
    pthread_barrier_wait(both);
    pthread_barrier_wait(both);
    return NULL;
}

#else

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t helper, worker;
    pthread_barrier_t both;
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&helper, NULL, help, &both) != 0)
        return 1;
    pthread_barrier_wait(&both);
    if (pthread_create(&worker, NULL, work, NULL) != 0)
        return 2;
    pthread_join(worker, NULL);
    pthread_barrier_wait(&both);
    pthread_join(helper, NULL);
    return 0;
}

#endif
