// SPDX-License-Identifier: Apache-2.0
// Threads that allocate and free:  alloc small|large [MILLIONS]
// small: 10 million blocks of 16 to 512 bytes on 4 threads, a thousand alive in each. large: blocks of
// 1 MiB, used once. Prints seconds, and seconds of CPU time.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"

enum { THREADS = 4, ALIVE = 1000, LARGE = 1 << 20 };

static long blocks_of_thread;

static void *small(void *unused)
{
    static __thread char *alive[ALIVE];
    unsigned int random = 12345;
    for (long i = 0; i < blocks_of_thread; i++) {
        random = random * 1103515245 + 12345;
        char **at = &alive[random / 65536 % ALIVE];
        free(*at);
        *at = malloc(16 + random / 65536 % 497);
        if (*at)
            **at = 1;
    }
    for (int i = 0; i < ALIVE; i++)
        free(alive[i]);
    return unused;
}

static void *large(void *unused)
{
    for (long i = 0; i < blocks_of_thread; i++) {
        char *block = malloc(LARGE);
        if (block)
            memset(block, 1, LARGE);
        __asm__ volatile("" : : "r"(block) : "memory"); // it is used
        free(block);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int is_large = argc > 1 && strcmp(argv[1], "large") == 0;
    double millions = argc > 2 ? atof(argv[2]) : is_large ? 0.06 : 10;
    pthread_t threads[THREADS];
    blocks_of_thread = (long)(millions * 1e6 / THREADS);
    double begun = cost_seconds();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, is_large ? large : small, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%.4f %.4f\n", cost_seconds() - begun, cost_cpu_seconds());
    return 0;
}
