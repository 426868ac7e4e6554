// SPDX-License-Identifier: Apache-2.0
// threads short COUNT: so many threads, one after the other.  threads live COUNT: so many at once.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_barrier_t all_there;

static void *end_at_once(void *unused)
{
    return unused;
}

static void *wait_for_all(void *unused)
{
    pthread_barrier_wait(&all_there);
    return unused;
}

int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    if (!threads)
        return 2;
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
