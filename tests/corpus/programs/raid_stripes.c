// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fourth
// truth: erasure coding: main sets the static table of products in GF(256) (64 KiB, of which the loops read one row of 256 bytes at nearly all times: it stays in the caches); each of eight pthreads allocates the shards of its own stripe (eight of 128 KiB, 8 MiB in all), writes them first, and alone encodes, loses, rebuilds and checks them in all rounds; main reads the counts of wrong bytes only: nothing to gain, about none of the requests are remote
// fix: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA 6
#define SHARD (128 << 10)
#define ROUNDS 5
#define THREADS 8

static uint8_t product[256][256];
static uint8_t inverse[256];

struct stripe {
    uint8_t *data[DATA];
    uint8_t *sum, *weighted; // P and Q
    unsigned number;
    unsigned long wrong;
};

static void make_tables(void)
{
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            unsigned value = 0;
            for (unsigned x = a, y = b; y != 0; y >>= 1) {
                value ^= y & 1 ? x : 0;
                x = x << 1 ^ (x & 0x80 ? 0x11d : 0);
            }
            product[a][b] = (uint8_t)value;
            if (value == 1)
                inverse[a] = (uint8_t)b;
        }
}

static void add(uint8_t *restrict to, const uint8_t *restrict from)
{
    for (size_t i = 0; i < SHARD; i += sizeof(uint64_t)) {
        uint64_t a, b;
        memcpy(&a, to + i, sizeof a);
        memcpy(&b, from + i, sizeof b);
        a ^= b;
        memcpy(to + i, &a, sizeof a);
    }
}

static void scale_and_add(uint8_t *restrict to, uint8_t factor, const uint8_t *restrict from)
{
    const uint8_t *row = product[factor];
    for (size_t i = 0; i < SHARD; i++)
        to[i] = row[to[i]] ^ from[i];
}

static void encode(struct stripe *s)
{
    memset(s->sum, 0, SHARD);
    memset(s->weighted, 0, SHARD);
    for (int d = DATA - 1; d >= 0; d--) { // Horner's rule
        add(s->sum, s->data[d]);
        scale_and_add(s->weighted, 2, s->data[d]);
    }
}

static void rebuild(struct stripe *s, int lost)
{
    memset(s->data[lost], 0, SHARD);
    add(s->data[lost], s->sum);
    for (int d = 0; d < DATA; d++)
        if (d != lost)
            add(s->data[lost], s->data[d]);
}

static int make_stripe(struct stripe *s)
{
    uint64_t state = 0x9e3779b97f4a7c15u * (s->number + 1);

    for (int d = 0; d < DATA + 2; d++) {
        uint8_t *shard = malloc(SHARD);
        if (shard == NULL)
            return -1;
        if (d < DATA)
            for (size_t i = 0; i < SHARD; i++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                shard[i] = (uint8_t)(state >> 56);
            }
        *(d < DATA ? &s->data[d] : d == DATA ? &s->sum : &s->weighted) = shard;
    }
    return 0;
}

static void *protect(void *argument)
{
    struct stripe *s = argument;

    if (make_stripe(s) != 0) {
        s->wrong = SHARD;
        return NULL;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        int lost = (int)((round + s->number) % DATA);
        uint8_t power = 1, sample[64];
        encode(s);
        for (int d = 0; d < lost; d++)
            power = product[2][power];
        memcpy(sample, s->data[lost] + 64 * round, sizeof sample);
        rebuild(s, lost);
        s->wrong += memcmp(sample, s->data[lost] + 64 * round, sizeof sample) != 0;
        // What is rebuilt from P must have its weight in Q.
        for (size_t i = 0; i < SHARD; i += 512) {
            uint8_t rest = s->weighted[i];
            for (int d = 0, weight = 1; d < DATA; d++, weight = product[2][weight])
                rest ^= d == lost ? 0 : product[weight][s->data[d][i]];
            s->wrong += product[inverse[power]][rest] != s->data[lost][i];
        }
        for (size_t i = round; i < SHARD; i += 61) // new data arrive
            s->data[lost][i] ^= (uint8_t)(i + round);
    }
    for (int d = 0; d < DATA; d++)
        free(s->data[d]);
    free(s->sum);
    free(s->weighted);
    return NULL;
}

int main(void)
{
    struct stripe stripes[THREADS] = {0};
    pthread_t threads[THREADS];
    unsigned long wrong = 0;

    make_tables();
    for (unsigned t = 0; t < THREADS; t++) {
        stripes[t].number = t;
        if (pthread_create(&threads[t], NULL, protect, &stripes[t]) != 0)
            return 1;
    }
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        wrong += stripes[t].wrong;
    }
    printf("%lu wrong bytes\n", wrong);
    return wrong != 0;
}
