// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: main builds an inverted index in a mapping; pthreads fetch queries, each reading lists anywhere
// fix: spread
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define TERMS 4096u
#define QUERIES 7000u
#define WORKERS 8

struct inverted_index {
    uint32_t *start; /* of each term's list, and the end of the last */
    uint32_t *docs;  /* all lists, one behind the other, ascending */
};

static struct inverted_index idx;
static atomic_uint next_query;

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void build_index(void)
{
    idx.start = calloc(TERMS + 1, sizeof *idx.start);
    for (uint32_t t = 0; t < TERMS; t++)
        idx.start[t + 1] = idx.start[t] + 256 + mix(t) % 768;
    idx.docs = mmap(NULL, idx.start[TERMS] * sizeof *idx.docs, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (idx.docs == MAP_FAILED)
        exit(1);
    for (uint32_t t = 0; t < TERMS; t++)
        for (uint32_t i = idx.start[t], doc = 0; i < idx.start[t + 1]; i++) {
            doc += 1 + (i * 2654435761u >> 28);
            idx.docs[i] = doc;
        }
}

static int contains(uint32_t term, uint32_t doc)
{
    uint32_t low = idx.start[term], high = idx.start[term + 1];
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (idx.docs[middle] < doc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < idx.start[term + 1] && idx.docs[low] == doc;
}

/* Documents with the first two terms count 1, with all three 100. */
static long score(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t *p = idx.docs + idx.start[a], *p_end = idx.docs + idx.start[a + 1];
    const uint32_t *q = idx.docs + idx.start[b], *q_end = idx.docs + idx.start[b + 1];
    long total = 0;
    while (p < p_end && q < q_end) {
        if (*p == *q) {
            total += contains(c, *p) ? 100 : 1;
            p++;
            q++;
        } else if (*p < *q)
            p++;
        else
            q++;
    }
    return total;
}

static void *serve(void *result)
{
    uint32_t q;
    long total = 0;
    while ((q = atomic_fetch_add(&next_query, 1)) < QUERIES)
        total += score(mix(3 * q) % TERMS, mix(3 * q + 1) % TERMS, mix(3 * q + 2) % TERMS);
    *(long *)result = total;
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    long totals[WORKERS], all = 0;
    build_index();
    for (int w = 0; w < WORKERS; w++)
        pthread_create(&threads[w], NULL, serve, &totals[w]);
    for (int w = 0; w < WORKERS; w++) {
        pthread_join(threads[w], NULL);
        all += totals[w];
    }
    printf("%u postings, score %ld\n", idx.start[TERMS], all);
    return 0;
}
