// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: the dosage matrix (mmap, 36 MiB) is written first by main in impute, then each of the 8 POSIX threads reads only its own block of 768 variants for all 36 permutations; phenotypes (6 KiB each) are in caches
// fix: parts
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Genome-wide association: score test of each variant, with permuted phenotypes. */

enum { VARIANTS = 6144, PEOPLE = 1536, PERMS = 36 };

struct cohort {
    float *dosage; /* VARIANTS x PEOPLE, negative: not called */
    float pheno[PERMS][PEOPLE];
};

struct job {
    const struct cohort *c;
    int first, last;
    long hits[PERMS];
    pthread_t tid;
};

static uint32_t rng_state = 20260731u;

static uint32_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return rng_state;
}

static void impute(struct cohort *c)
{
    size_t bytes = sizeof(float) * VARIANTS * PEOPLE;
    c->dosage = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->dosage == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    for (int v = 0; v < VARIANTS; v++) {
        uint32_t maf = 6553u + (rng() % 26214u); /* 0.1 .. 0.5 of 65536 */
        float *row = c->dosage + (size_t)v * PEOPLE;
        for (int p = 0; p < PEOPLE; p++) {
            uint32_t r = rng();
            row[p] = (r >> 27) == 0 ? -1.0f : (float)(((r & 0xffff) < maf) + ((r >> 11 & 0xffff) < maf));
        }
    }
    for (int p = 0; p < PEOPLE; p++)
        c->pheno[0][p] = (float)(rng() % 2048u) / 1024.0f - 1.0f;
    for (int k = 1; k < PERMS; k++) {
        for (int p = 0; p < PEOPLE; p++)
            c->pheno[k][p] = c->pheno[k - 1][p];
        for (int p = PEOPLE - 1; p > 0; p--) {
            int q = rng() % (uint32_t)(p + 1);
            float t = c->pheno[k][p];
            c->pheno[k][p] = c->pheno[k][q];
            c->pheno[k][q] = t;
        }
    }
}

static double score(const float *g, const float *y)
{
    double n = 0, sg = 0, sgg = 0, sy = 0, syy = 0, sgy = 0;
    for (int p = 0; p < PEOPLE; p++) {
        double d = g[p], t = y[p];
        if (d < 0)
            continue;
        n += 1;
        sg += d;
        sgg += d * d;
        sy += t;
        syy += t * t;
        sgy += d * t;
    }
    double vg = sgg - sg * sg / n, vy = syy - sy * sy / n, cov = sgy - sg * sy / n;
    return vg > 0 && vy > 0 ? n * cov * cov / (vg * vy) : 0.0;
}

static void *run(void *arg)
{
    struct job *j = arg;
    for (int k = 0; k < PERMS; k++)
        for (int v = j->first; v < j->last; v++)
            if (score(j->c->dosage + (size_t)v * PEOPLE, j->c->pheno[k]) > 3.841)
                j->hits[k]++;
    return NULL;
}

int main(int argc, char **argv)
{
    static struct cohort c;
    int n = argc > 1 ? atoi(argv[1]) : 8;
    struct job *jobs = calloc(n, sizeof *jobs);

    impute(&c);
    for (int t = 0; t < n; t++) {
        jobs[t].c = &c;
        jobs[t].first = (int)((long)VARIANTS * t / n);
        jobs[t].last = (int)((long)VARIANTS * (t + 1) / n);
        pthread_create(&jobs[t].tid, NULL, run, &jobs[t]);
    }
    long total = 0, observed = 0;
    for (int t = 0; t < n; t++) {
        pthread_join(jobs[t].tid, NULL);
        observed += jobs[t].hits[0];
        for (int k = 1; k < PERMS; k++)
            total += jobs[t].hits[k];
    }
    printf("observed %ld, under permutation %ld in %d\n", observed, total, PERMS - 1);
    munmap(c.dosage, sizeof(float) * VARIANTS * PEOPLE);
    free(jobs);
    return 0;
}
