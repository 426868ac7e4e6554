// truth: the genotype matrix comes from calloc and is first touched by main alone when simulate fills it; afterwards each C11 thread scans its own range of SNP rows once for every permutation
// fix: parts
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { THREADS = 8, PERMUTATIONS = 6 };

typedef struct {
    size_t snps, people;
    uint8_t *geno; /* snps rows of people genotypes 0, 1, 2 */
    int16_t *trait;
} cohort_t;

typedef struct {
    const cohort_t *cohort;
    size_t from, to;
} job_t;

static struct {
    mtx_t lock;
    int64_t score[PERMUTATIONS];
    size_t snp[PERMUTATIONS];
    uint64_t digest;
} report;

static void *must(void *p)
{
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static uint32_t xorshift(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

static cohort_t cohort_create(size_t snps, size_t people)
{
    cohort_t c = {.snps = snps, .people = people};
    c.geno = must(calloc(snps * people, sizeof *c.geno));
    c.trait = must(calloc(people, sizeof *c.trait));
    return c;
}

static void simulate(cohort_t *c)
{
    uint32_t s = 2463534242u;
    for (size_t i = 0; i < c->people; i++)
        c->trait[i] = (int16_t)(xorshift(&s) % 401) - 200;
    for (size_t k = 0; k < c->snps; k++) {
        uint8_t *row = c->geno + k * c->people;
        const uint32_t minor = 8 + xorshift(&s) % 56; /* of 128 */
        for (size_t i = 0; i < c->people; i += 2) {
            const uint32_t r = xorshift(&s);
            row[i] = (uint8_t)(((r & 127) < minor) + ((r >> 8 & 127) < minor));
            if (i + 1 < c->people)
                row[i + 1] = (uint8_t)(((r >> 16 & 127) < minor) + ((r >> 24 & 127) < minor));
        }
    }
}

static void shuffle(int16_t *v, size_t n, uint32_t seed)
{
    for (size_t i = n - 1; i > 0; i--) {
        const size_t j = xorshift(&seed) % (i + 1);
        const int16_t t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}

static int64_t association(const uint8_t *row, const int16_t *trait, size_t n, int32_t total)
{
    int32_t cross = 0, alleles = 0;
    for (size_t i = 0; i < n; i++) {
        cross += row[i] * trait[i];
        alleles += row[i];
    }
    const int64_t d = (int64_t)cross * (int64_t)n - (int64_t)alleles * total;
    return d < 0 ? -d : d;
}

static int scan(void *arg)
{
    const job_t *job = arg;
    const cohort_t *c = job->cohort;
    int16_t *mine = must(malloc(c->people * sizeof *mine));

    for (int p = 0; p < PERMUTATIONS; p++) {
        int64_t best = -1;
        int32_t total = 0;
        size_t at = 0;
        uint64_t digest = 0;
        memcpy(mine, c->trait, c->people * sizeof *mine);
        for (size_t i = 0; i < c->people; i++)
            total += mine[i];
        if (p)
            shuffle(mine, c->people, 7919u * (uint32_t)p);
        for (size_t k = job->from; k < job->to; k++) {
            const int64_t s = association(c->geno + k * c->people, mine, c->people, total);
            digest += (uint64_t)s * (k + 1);
            if (s > best) {
                best = s;
                at = k;
            }
        }
        mtx_lock(&report.lock);
        report.digest += digest;
        if (best > report.score[p] || (best == report.score[p] && at < report.snp[p])) {
            report.score[p] = best;
            report.snp[p] = at;
        }
        mtx_unlock(&report.lock);
    }
    free(mine);
    return 0;
}

int main(void)
{
    cohort_t c = cohort_create(4096, 1531);
    thrd_t team[THREADS];
    job_t jobs[THREADS];

    simulate(&c);
    mtx_init(&report.lock, mtx_plain);
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (job_t){&c, c.snps * t / THREADS, c.snps * (t + 1) / THREADS};
        if (thrd_create(&team[t], scan, &jobs[t]) != thrd_success)
            return 1;
    }
    for (int t = 0; t < THREADS; t++)
        thrd_join(team[t], NULL);
    for (int p = 0; p < PERMUTATIONS; p++)
        printf("%d: snp %zu score %lld\n", p, report.snp[p], (long long)report.score[p]);
    printf("digest %llu\n", (unsigned long long)report.digest);
    mtx_destroy(&report.lock);
    free(c.geno);
    free(c.trait);
}
