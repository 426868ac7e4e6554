// SPDX-License-Identifier: Apache-2.0
// truth: threads of POSIX all read one table
// fix: spread
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
enum { THREADS = 8 };

static unsigned *table;
static size_t n = 1 << 20;
static unsigned sums[THREADS];
static void *work(void *argument)
{
    unsigned x = (unsigned)(size_t)argument + 1, sum = 0;
    for (int k = 0; k < 300000; k++) {
        x = x * 1664525u + 1013904223u;
        sum += table[(x >> 4) % n];
    }
    sums[(size_t)argument] = sum;
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    table = malloc(n * sizeof *table);
    for (size_t i = 0; i < n; i++)
        table[i] = (unsigned)i;
    unsigned total = 0;
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, work, (void *)t);
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        total += sums[t];
    }
    printf("%u\n", total);
}
