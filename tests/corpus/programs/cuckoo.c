// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: main inserts all keys into a cuckoo table of aligned buckets behind a header; each thread looks up random keys, in two random buckets anywhere in it
// fix: spread
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 8
#define BUCKETS (1u << 17)
#define KEYS 800000u
#define STREAMS 8
#define LOOKUPS 250000

#define ALIGNED(pointer, bytes)                                      \
    do {                                                             \
        if (posix_memalign((void **)&(pointer), 64, (bytes)) != 0) { \
            fprintf(stderr, "no memory: %s\n", #pointer);            \
            exit(1);                                                 \
        }                                                            \
    } while (0)

struct bucket {
    uint64_t slot[SLOTS];
};

struct table {
    uint64_t used, mask, moves, spare[5];
    struct bucket bucket[];
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x7fb5d329728ea185u;
    x ^= x >> 27;
    x *= 0x81dadef4bc2dd44du;
    return x ^ x >> 33;
}

static uint64_t key_of(uint64_t number)
{
    return mix(number + 1) | 1;
}

static uint64_t first(const struct table *t, uint64_t key)
{
    return key >> 7 & t->mask;
}

static uint64_t second(const struct table *t, uint64_t key)
{
    return mix(key) >> 11 & t->mask;
}

static int put(struct table *t, uint64_t at, uint64_t key)
{
    for (int s = 0; s < SLOTS; s++)
        if (t->bucket[at].slot[s] == 0) {
            t->bucket[at].slot[s] = key;
            t->used++;
            return 1;
        }
    return 0;
}

static void insert(struct table *t, uint64_t key)
{
    for (int tries = 0; tries < 500; tries++) {
        uint64_t a = first(t, key), b = second(t, key);
        if (put(t, a, key) || put(t, b, key))
            return;
        uint64_t *victim = &t->bucket[tries & 1 ? b : a].slot[((key >> 40) + tries / 2) % SLOTS];
        uint64_t out = *victim;
        *victim = key;
        key = out;
        t->moves++;
    }
}

static int contains(const struct table *t, uint64_t key)
{
    const struct bucket *a = &t->bucket[first(t, key)], *b = &t->bucket[second(t, key)];
    int found = 0;
    for (int s = 0; s < SLOTS; s++)
        found |= a->slot[s] == key || b->slot[s] == key;
    return found;
}

int main(void)
{
    struct table *t;
    ALIGNED(t, sizeof *t + BUCKETS * sizeof t->bucket[0]);
    t->used = t->moves = 0;
    t->mask = BUCKETS - 1;
    for (uint32_t b = 0; b < BUCKETS; b++)
        for (int s = 0; s < SLOTS; s++)
            t->bucket[b].slot[s] = 0;
    for (uint64_t k = 0; k < KEYS; k++)
        insert(t, key_of(k));

    long hits = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : hits)
    for (int stream = 0; stream < STREAMS; stream++) {
        uint64_t state = mix(stream + 77);
        for (int i = 0; i < LOOKUPS; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            hits += contains(t, key_of((state >> 33) % (2 * KEYS)));
        }
    }
    printf("%lu %lu %ld\n", (unsigned long)t->used, (unsigned long)t->moves, hits);
    free(t);
}
