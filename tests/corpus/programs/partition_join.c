// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fourth
// truth: main fills two relations; each pthread builds a small table of its range of one, and probes it with its range of the other
// fix: parts
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, SLOTS = 1 << 12 };

struct tuple {
    uint32_t key, row;
};

struct relation {
    struct tuple *tuples;
    size_t count;
};

static struct relation build, probe;
static long matches[THREADS];

static void fill(struct relation *r, size_t count, uint32_t step)
{
    r->count = count;
    r->tuples = malloc(count * sizeof(struct tuple));
    for (size_t i = 0; i < count; i++)
        r->tuples[i] = (struct tuple){(uint32_t)i * step, (uint32_t)i};
}

static void *join(void *argument)
{
    size_t me = (size_t)argument;
    uint32_t *slots = calloc(SLOTS, sizeof *slots);
    for (int pass = 0; pass < 6; pass++) {
        for (size_t i = build.count * me / THREADS; i < build.count * (me + 1) / THREADS; i++)
            slots[build.tuples[i].key % SLOTS] = build.tuples[i].key;
        for (size_t i = probe.count * me / THREADS; i < probe.count * (me + 1) / THREADS; i++)
            matches[me] += slots[probe.tuples[i].key % SLOTS] == probe.tuples[i].key;
    }
    free(slots);
    return NULL;
}

int main(void)
{
    fill(&build, 300000, 7);
    fill(&probe, 900000, 13);
    pthread_t team[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&team[t], NULL, join, (void *)t);
    long sum = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(team[t], NULL);
        sum += matches[t];
    }
    printf("%ld\n", sum);
}
