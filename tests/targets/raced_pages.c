// SPDX-License-Identifier: Apache-2.0
// Threads touch each of 16 huge pages at the same time, each thread another part of it.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 4, HUGE = 2 << 20, PAGES = 16 };

static volatile char *block;
static pthread_barrier_t barrier;

static void *work(void *argument)
{
    long self = (long)argument;
    for (long page = 0; page < PAGES; page++) {
        pthread_barrier_wait(&barrier);
        for (long at = self * HUGE / THREADS; at < (self + 1) * HUGE / THREADS; at += 4096)
            block[page * HUGE + at] = 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    block = aligned_alloc(HUGE, (size_t)PAGES * HUGE);
    if (!block || madvise((void *)block, (size_t)PAGES * HUGE, MADV_HUGEPAGE) != 0)
        return 1;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    for (long i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
