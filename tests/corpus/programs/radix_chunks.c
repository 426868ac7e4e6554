// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: rec (posix_memalign, 8 MiB) is written first by main in generate, then each POSIX thread sorts only its own eighth of it; tmp is first written by its users; main reads all once in the merge
// fix: parts
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Run formation of a merge sort: every thread radix-sorts one run, then one k-way merge. */

#define NREC (1u << 20)
#define NRUNS 8
#define RADIX_BITS 8
#define BUCKETS (1u << RADIX_BITS)

struct record {
    uint32_t key;
    uint32_t payload;
};

struct run {
    struct record *base;
    struct record *scratch;
    size_t n;
};

static void generate(struct record *r, size_t n)
{
    uint32_t s = 2463534242u;
    for (size_t i = 0; i < n; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        r[i].key = s;
        r[i].payload = (uint32_t)i;
    }
}

static void radix_pass(const struct record *in, struct record *out, size_t n, int shift)
{
    size_t count[BUCKETS] = {0};
    for (size_t i = 0; i < n; i++)
        count[(in[i].key >> shift) & (BUCKETS - 1)]++;
    size_t sum = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        size_t c = count[b];
        count[b] = sum;
        sum += c;
    }
    for (size_t i = 0; i < n; i++)
        out[count[(in[i].key >> shift) & (BUCKETS - 1)]++] = in[i];
}

static void *sort_run(void *arg)
{
    struct run *r = arg;
    for (int shift = 0; shift < 32; shift += 2 * RADIX_BITS) {
        radix_pass(r->base, r->scratch, r->n, shift);
        radix_pass(r->scratch, r->base, r->n, shift + RADIX_BITS);
    }
    return NULL;
}

static uint64_t merge_digest(const struct run *runs)
{
    size_t pos[NRUNS] = {0};
    uint64_t digest = 1469598103934665603ULL;
    for (size_t k = 0; k < NREC; k++) {
        int best = -1;
        for (int r = 0; r < NRUNS; r++)
            if (pos[r] < runs[r].n &&
                (best < 0 || runs[r].base[pos[r]].key < runs[best].base[pos[best]].key))
                best = r;
        const struct record *m = &runs[best].base[pos[best]++];
        digest = (digest ^ m->key ^ ((uint64_t)m->payload << 32)) * 1099511628211ULL;
    }
    return digest;
}

int main(void)
{
    void *rec = NULL, *tmp = NULL;
    struct run runs[NRUNS];
    pthread_t th[NRUNS];

    if (posix_memalign(&rec, 4096, NREC * sizeof(struct record)) ||
        posix_memalign(&tmp, 4096, NREC * sizeof(struct record)))
        return 1;
    generate(rec, NREC);

    for (int r = 0; r < NRUNS; r++) {
        size_t lo = (size_t)NREC * r / NRUNS, hi = (size_t)NREC * (r + 1) / NRUNS;
        runs[r].base = (struct record *)rec + lo;
        runs[r].scratch = (struct record *)tmp + lo;
        runs[r].n = hi - lo;
        pthread_create(&th[r], NULL, sort_run, &runs[r]);
    }
    for (int r = 0; r < NRUNS; r++)
        pthread_join(th[r], NULL);

    printf("digest %016" PRIx64 "\n", merge_digest(runs));
    free(rec);
    free(tmp);
    return 0;
}
