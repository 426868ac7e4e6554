// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: four producers write to rings, each emptied by one consumer of the other node: every line is handed over
// fix: none
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 4, SLOTS = 16, WORDS = 32768, MESSAGES = 48 };

struct ring {
    sem_t full, empty;
    uint32_t *slots;
    uint64_t sum;
};

static struct ring rings[PAIRS];

static void *produce(void *argument)
{
    struct ring *ring = argument;
    ring->slots = malloc(sizeof(uint32_t) * SLOTS * WORDS);
    for (uint32_t m = 0; m < MESSAGES; m++) {
        sem_wait(&ring->empty);
        uint32_t *slot = ring->slots + (m % SLOTS) * WORDS;
        for (uint32_t i = 0; i < WORDS; i++)
            slot[i] = m * 7 + i;
        sem_post(&ring->full);
    }
    return NULL;
}

static void *consume(void *argument)
{
    struct ring *ring = argument;
    for (uint32_t m = 0; m < MESSAGES; m++) {
        sem_wait(&ring->full);
        const uint32_t *slot = ring->slots + (m % SLOTS) * WORDS;
        for (uint32_t i = 0; i < WORDS; i++)
            ring->sum += slot[i];
        sem_post(&ring->empty);
    }
    return NULL;
}

int main(void)
{
    pthread_t producers[PAIRS], consumers[PAIRS];
    for (int p = 0; p < PAIRS; p++) {
        sem_init(&rings[p].full, 0, 0);
        sem_init(&rings[p].empty, 0, SLOTS);
        pthread_create(&producers[p], NULL, produce, &rings[p]);
    }
    for (int p = 0; p < PAIRS; p++)
        pthread_create(&consumers[p], NULL, consume, &rings[p]);
    uint64_t sum = 0;
    for (int p = 0; p < PAIRS; p++) {
        pthread_join(producers[p], NULL);
        pthread_join(consumers[p], NULL);
        sum += rings[p].sum;
    }
    printf("%llu\n", (unsigned long long)sum);
}
