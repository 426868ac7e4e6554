// SPDX-License-Identifier: Apache-2.0
// threads short COUNT: so many threads, one after the other.  threads live COUNT: so many at once.
// With a third word all pin themselves as numaprof pins them: main to the first CPU, a short thread to the second,
// which is idle, live ones to each CPU in turn.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_barrier_t all_there;
static atomic_uint pinned; // live threads that were
static unsigned cpus;      // 0: threads run where the scheduler puts them

static void pin(unsigned cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu % cpus, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

static void *end_at_once(void *unused)
{
    if (cpus)
        pin(1);
    return unused;
}

static void *wait_for_all(void *unused)
{
    if (cpus)
        pin(atomic_fetch_add(&pinned, 1) + 1);
    pthread_barrier_wait(&all_there);
    return unused;
}

int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    if (!threads)
        return 2;
    cpus = argc > 3 ? (unsigned)sysconf(_SC_NPROCESSORS_ONLN) : 0;
    if (cpus)
        pin(0);
    int at_once = strcmp(argv[1], "live") == 0 ? count : 1;
    pthread_barrier_init(&all_there, NULL, (unsigned)at_once);
    for (int done = 0; done < count; done += at_once) {
        for (int i = 0; i < at_once; i++)
            if (pthread_create(&threads[i], NULL, at_once > 1 ? wait_for_all : end_at_once, NULL) != 0)
                return 1;
        for (int i = 0; i < at_once; i++)
            pthread_join(threads[i], NULL);
    }
    free(threads);
    return 0;
}
