// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: main builds Walker's alias table in a mapping without reserve (MAP_NORESERVE), of which the first third is used; then each pthread draws from it at random, each draw an entry anywhere in it
// fix: spread
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define THREADS 8
#define OUTCOMES 600000u
#define RESERVED 1800000u
#define DRAWS 250000

struct entry {
    double keep;
    uint32_t self, alias;
};

struct sampler {
    const struct entry *table;
    uint64_t seed, sum, kept;
    pthread_t thread;
};

static void build(struct entry *table)
{
    double *scaled = malloc(OUTCOMES * sizeof *scaled);
    uint32_t *small = malloc(OUTCOMES * sizeof *small), *large = malloc(OUTCOMES * sizeof *large);
    if (!scaled || !small || !large)
        exit(1);
    double total = 0;
    for (uint32_t i = 0; i < OUTCOMES; i++)
        total += scaled[i] = 1 + (double)((uint64_t)i * i % 977);
    size_t smalls = 0, larges = 0;
    for (uint32_t i = 0; i < OUTCOMES; i++) {
        scaled[i] *= OUTCOMES / total;
        if (scaled[i] < 1)
            small[smalls++] = i;
        else
            large[larges++] = i;
        table[i] = (struct entry){1, i, i};
    }
    while (smalls && larges) {
        uint32_t s = small[--smalls], l = large[larges - 1];
        table[s].keep = scaled[s];
        table[s].alias = l;
        scaled[l] -= 1 - scaled[s];
        if (scaled[l] < 1) {
            larges--;
            small[smalls++] = l;
        }
    }
    free(scaled);
    free(small);
    free(large);
}

static void *draw(void *argument)
{
    struct sampler *s = argument;
    uint64_t state = s->seed, sum = 0, kept = 0;
    for (int i = 0; i < DRAWS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const struct entry *e = &s->table[(state >> 33) % OUTCOMES];
        int keep = (double)(state >> 11 & 0xfffff) / 0x100000 < e->keep;
        sum += keep ? e->self : e->alias;
        kept += keep;
    }
    s->sum = sum;
    s->kept = kept;
    return NULL;
}

int main(void)
{
    struct sampler samplers[THREADS];
    struct entry *table = mmap(NULL, RESERVED * sizeof *table, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    build(table);
    for (int t = 0; t < THREADS; t++) {
        samplers[t].table = table;
        samplers[t].seed = 0x9e3779b97f4a7c15u * (uint64_t)(t + 1);
        if (pthread_create(&samplers[t].thread, NULL, draw, &samplers[t]) != 0)
            return 1;
    }
    uint64_t sum = 0, kept = 0;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(samplers[t].thread, NULL);
        sum += samplers[t].sum;
        kept += samplers[t].kept;
    }
    printf("%llu %llu\n", (unsigned long long)sum, (unsigned long long)kept);
    munmap(table, RESERVED * sizeof *table);
}
