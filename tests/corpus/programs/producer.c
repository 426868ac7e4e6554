// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: one thread fills buffers, whoever is free uses each once: no placement removes that
// fix: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFERS = 12, BYTES = 1 << 19, ITEMS = 120, CONSUMERS = 7 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long *buffer[BUFFERS], sums[CONSUMERS];
static int produced, taken, freed;

static void *consume(void *argument)
{
    long *sum = argument;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (taken == produced && taken < ITEMS)
            pthread_cond_wait(&changed, &lock);
        if (taken == ITEMS)
            break;
        const long *mine = buffer[taken++ % BUFFERS];
        pthread_mutex_unlock(&lock);
        for (size_t i = 0; i < BYTES / sizeof *mine; i++)
            *sum += mine[i];
        pthread_mutex_lock(&lock);
        freed++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[CONSUMERS];
    long sum = 0;
    for (int b = 0; b < BUFFERS; b++)
        buffer[b] = malloc(BYTES);
    for (int c = 0; c < CONSUMERS; c++)
        pthread_create(&threads[c], NULL, consume, &sums[c]);
    for (int item = 0; item < ITEMS; item++) {
        pthread_mutex_lock(&lock);
        while (item - freed >= BUFFERS - CONSUMERS)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        for (size_t i = 0; i < BYTES / sizeof(long); i++)
            buffer[item % BUFFERS][i] = item + (long)i;
        pthread_mutex_lock(&lock);
        produced++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    for (int c = 0; c < CONSUMERS; c++) {
        pthread_join(threads[c], NULL);
        sum += sums[c];
    }
    printf("%ld\n", sum);
}
