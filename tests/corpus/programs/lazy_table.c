// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: main only callocs a table; each pthread fills and then looks up its own range of it: nothing to gain
// fix: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, SLOTS = 1 << 19 };

typedef struct {
    uint64_t key;
    uint32_t count, next;
} slot;

static slot *table;
static uint64_t sums[THREADS][8];

static void *serve(void *argument)
{
    size_t me = (size_t)argument, each = SLOTS / THREADS;
    slot *mine = table + me * each;
    for (size_t i = 0; i < each; i++)
        mine[i] = (slot){.key = i * 31 + me, .next = (uint32_t)((i * 40503u + 7) % each)};
    uint32_t at = 0;
    for (size_t step = 0; step < 6 * each; step++) {
        sums[me][0] += mine[at].key;
        mine[at].count++;
        at = mine[at].next;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    uint64_t sum = 0;
    table = calloc(SLOTS, sizeof *table);
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, serve, (void *)t);
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        sum += sums[t][0];
    }
    printf("%llu\n", (unsigned long long)sum);
}
