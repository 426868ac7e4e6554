// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: the hash table (mmap, 8 MiB) is filled by main in preload, then all 8 POSIX threads look up pseudo-random keys all over it
// fix: spread
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

/* Read-mostly key-value cache: preloaded once, then served by a fixed set of threads. */

#define SLOTS (1u << 19)
#define NKEYS 330000u
#define NWORKERS 8
#define ROUNDS 6
#define BATCH 60000

typedef struct {
    uint64_t key; /* 0 = empty */
    uint64_t value;
} slot_t;

typedef struct {
    slot_t *slots;
    uint32_t mask;
} table_t;

typedef struct {
    const table_t *table;
    int id;
    uint64_t hits, digest;
} worker_t;

static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
}

static int table_open(table_t *t, uint32_t slots)
{
    void *m = mmap(NULL, slots * sizeof(slot_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return -1;
    t->slots = m;
    t->mask = slots - 1;
    return 0;
}

static void table_put(table_t *t, uint64_t key, uint64_t value)
{
    uint32_t i = (uint32_t)mix(key) & t->mask;
    while (t->slots[i].key && t->slots[i].key != key)
        i = (i + 1) & t->mask;
    t->slots[i].key = key;
    t->slots[i].value = value;
}

static const slot_t *table_get(const table_t *t, uint64_t key)
{
    uint32_t i = (uint32_t)mix(key) & t->mask;
    for (; t->slots[i].key; i = (i + 1) & t->mask)
        if (t->slots[i].key == key)
            return &t->slots[i];
    return NULL;
}

static void preload(table_t *t)
{
    for (uint64_t k = 1; k <= NKEYS; k++)
        table_put(t, k, mix(k * 31 + 7));
}

static void *serve(void *arg)
{
    worker_t *w = arg;
    uint64_t rng = 88172645463325252ULL + 7919u * (uint64_t)w->id, hits = 0, digest = 0;
    for (int r = 0; r < ROUNDS; r++)
        for (int q = 0; q < BATCH; q++) {
            rng ^= rng << 13;
            rng ^= rng >> 7;
            rng ^= rng << 17;
            const slot_t *s = table_get(w->table, 1 + rng % (NKEYS + NKEYS / 16));
            hits += s != NULL;
            digest += s ? s->value : 0;
        }
    w->hits = hits;
    w->digest = digest;
    return NULL;
}

int main(void)
{
    table_t table;
    worker_t w[NWORKERS];
    pthread_t th[NWORKERS];
    uint64_t hits = 0, digest = 0;
    if (table_open(&table, SLOTS))
        return 1;
    preload(&table);
    for (int i = 0; i < NWORKERS; i++) {
        w[i] = (worker_t){.table = &table, .id = i};
        pthread_create(&th[i], NULL, serve, &w[i]);
    }
    for (int i = 0; i < NWORKERS; i++) {
        pthread_join(th[i], NULL);
        hits += w[i].hits;
        digest ^= w[i].digest;
    }
    printf("hits %" PRIu64 " digest %016" PRIx64 "\n", hits, digest);
    munmap(table.slots, SLOTS * sizeof(slot_t));
    return 0;
}
