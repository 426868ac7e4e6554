// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-third
// truth: main rolls the codes of all k-mers of a genome into one array (malloc, 12 MiB), each code from the one before it; eight pthreads count them in six passes: each reads its own eighth of the codes in each pass, and adds those that belong to the pass at random places of one shared table (aligned_alloc, 8 MiB), which main clears before each pass, so that it lies on main's node: the codes should lie in parts with their threads, the table on all nodes
// fix: parts, spread
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K 21
#define CODES (3u << 19)
#define SLOTS (1u << 19)
#define PASSES 6
#define THREADS 8

struct slot {
    _Atomic uint64_t code; // 0: empty
    _Atomic uint32_t count;
    uint32_t unused;
};

struct counter {
    uint64_t *codes;
    struct slot *table;
    pthread_barrier_t cleared, counted;
};

struct worker {
    pthread_t thread;
    struct counter *counter;
    unsigned number;
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    return x ^ x >> 33;
}

static void roll_codes(uint64_t *codes)
{
    uint64_t code = 0, state = 0;
    for (uint32_t i = 0; i < CODES + K - 1; i++) {
        if (i % (3u << 17) == 0) // the genome has four copies of all
            state = 88172645463325252u;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        code = (code << 2 | (state & 3)) & ((1ull << 2 * K) - 1);
        if (i >= K - 1)
            codes[i - (K - 1)] = code + 1;
    }
}

static void add(struct slot *table, uint64_t code, uint64_t hash)
{
    for (uint32_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
        uint64_t there = atomic_load_explicit(&table[i].code, memory_order_relaxed);
        if (there == 0 && atomic_compare_exchange_strong(&table[i].code, &there, code))
            there = code;
        if (there == code) {
            atomic_fetch_add_explicit(&table[i].count, 1, memory_order_relaxed);
            return;
        }
    }
}

static void *count(void *argument)
{
    struct worker *self = argument;
    struct counter *all = self->counter;
    uint32_t first = CODES / THREADS * self->number, last = first + CODES / THREADS;

    for (unsigned pass = 0; pass < PASSES; pass++) {
        pthread_barrier_wait(&all->cleared);
        for (uint32_t i = first; i < last; i++) {
            uint64_t hash = mix(all->codes[i]);
            if ((hash >> 40) % PASSES == pass)
                add(all->table, all->codes[i], hash);
        }
        pthread_barrier_wait(&all->counted);
    }
    return NULL;
}

int main(void)
{
    static struct counter all;
    static struct worker workers[THREADS];
    uint64_t repeated = 0;

    all.codes = malloc(sizeof *all.codes * CODES);
    all.table = aligned_alloc(64, sizeof *all.table * SLOTS);
    if (all.codes == NULL || all.table == NULL)
        return 1;
    roll_codes(all.codes);
    pthread_barrier_init(&all.cleared, NULL, THREADS + 1);
    pthread_barrier_init(&all.counted, NULL, THREADS + 1);
    for (unsigned t = 0; t < THREADS; t++) {
        workers[t].counter = &all;
        workers[t].number = t;
        pthread_create(&workers[t].thread, NULL, count, &workers[t]);
    }
    for (unsigned pass = 0; pass < PASSES; pass++) {
        memset(all.table, 0, sizeof *all.table * SLOTS);
        pthread_barrier_wait(&all.cleared);
        pthread_barrier_wait(&all.counted);
        for (uint32_t i = 0; i < SLOTS; i += 64)
            repeated += all.table[i].count > 1;
    }
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(workers[t].thread, NULL);
    printf("%llu\n", (unsigned long long)repeated);
    free(all.table);
    free(all.codes);
    return 0;
}
