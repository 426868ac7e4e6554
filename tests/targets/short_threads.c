// SPDX-License-Identifier: Apache-2.0
// short_threads THREADS PAGES OWN: the main thread touches OWN pages; then THREADS threads, one after the other, touch
// PAGES pages each that nobody touched before.
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char *memory;
static size_t page, pages;

static void *touch(void *at)
{
    for (size_t i = 0; i < pages; i++)
        *(volatile char *)((char *)at + i * page) = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 1;
    size_t threads = (size_t)atol(argv[1]), own = (size_t)atol(argv[3]);
    page = (size_t)sysconf(_SC_PAGESIZE);
    pages = (size_t)atol(argv[2]);
    memory = mmap(NULL, (own + threads * pages) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, (own + threads * pages) * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < own; i++)
        *(volatile char *)(memory + i * page) = 1;
    for (size_t i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, touch, memory + (own + i * pages) * page) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}
