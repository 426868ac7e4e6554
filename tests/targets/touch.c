// SPDX-License-Identifier: Apache-2.0
// touch [THREADS [KIB]]: each thread touches KIB of memory of its own, all at the same time.
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST = 64, PAGE = 4096 };

static pthread_barrier_t all_touched;
static size_t bytes;

static void *touch(void *unused)
{
    (void)unused;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t at = 0; memory != MAP_FAILED && at < bytes; at += PAGE)
        memory[at] = 1;
    pthread_barrier_wait(&all_touched);
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 2;
    bytes = (argc > 2 ? strtoul(argv[2], NULL, 10) : 1024) << 10;
    pthread_t threads[MOST];
    if (count < 1 || count > MOST || pthread_barrier_init(&all_touched, NULL, (unsigned)count) != 0)
        return 2;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, touch, NULL) != 0)
            return 3;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
