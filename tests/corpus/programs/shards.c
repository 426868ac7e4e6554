// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: each pthread owns a shard of a hash map, with nodes of a pool in thread-local storage: nothing to gain
// fix: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, BUCKETS = 1 << 14, KEYS = 20000, ROUNDS = 6, CHUNK = 1024 };

typedef struct node {
    struct node *next;
    uint64_t key, value;
} node;

static _Thread_local struct {
    node *chunk;
    int used;
} pool = {NULL, CHUNK};

typedef struct {
    int index;
    node **buckets;
    uint64_t sum;
} shard;

static node *fresh(void)
{
    if (pool.used == CHUNK) {
        pool.chunk = malloc(CHUNK * sizeof(node));
        pool.used = 0;
    }
    return &pool.chunk[pool.used++];
}

static void put(shard *own, uint64_t key)
{
    node **at = &own->buckets[(key * 11400714819323198485u) >> 50];
    for (node *each = *at; each; each = each->next)
        if (each->key == key) {
            each->value++;
            return;
        }
    node *added = fresh();
    *added = (node){*at, key, 1};
    *at = added;
}

static void *work(void *argument)
{
    shard *own = argument;
    own->buckets = calloc(BUCKETS, sizeof *own->buckets);
    for (int round = 0; round < ROUNDS; round++)
        for (uint64_t k = 0; k < KEYS; k++)
            put(own, (k * 2654435761u + (uint64_t)own->index) % (4 * KEYS));
    for (size_t b = 0; b < BUCKETS; b++)
        for (node *each = own->buckets[b]; each; each = each->next)
            own->sum += each->value * each->key;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    shard shards[THREADS];
    uint64_t sum = 0;
    for (int t = 0; t < THREADS; t++) {
        shards[t] = (shard){.index = t};
        pthread_create(&threads[t], NULL, work, &shards[t]);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        sum += shards[t].sum;
    }
    printf("%llu\n", (unsigned long long)sum);
}
