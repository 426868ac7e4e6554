// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: users (22 MB) is filled by main and used by blocks; the embeddings (19 MB) and the statistics are filled by main and read at random by all
// fix: parts, spread
/* Recommender scoring: for each user (struct of features) look up the items of
 * his history in an embedding table, score against a small model, and after each
 * epoch recalibrate the item statistics in a serial phase. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define USERS 130000
#define ITEMS 300000
#define DIM 16
#define HIST 24
#define EPOCHS 4

struct user {
    uint32_t item[HIST];
    float taste[DIM];
    float bias;
    uint32_t region;
};

struct item_stat {
    int32_t boost;
    int32_t seen;
};

static float model[64][DIM];
static struct item_stat stats[ITEMS];

static uint32_t rnd(uint64_t *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*s >> 33);
}

static struct user *load_users(void)
{
    struct user *u = malloc(sizeof *u * USERS);
    uint64_t s = 99;
    if (!u)
        exit(1);
    for (int i = 0; i < USERS; i++) {
        for (int k = 0; k < HIST; k++)
            u[i].item[k] = rnd(&s) % ITEMS;
        for (int d = 0; d < DIM; d++)
            u[i].taste[d] = (float)((int)(u[i].item[d] & 255) - 128) / 64.0f;
        u[i].bias = 0.0f;
        u[i].region = rnd(&s) & 63;
    }
    return u;
}

static float (*load_embedding(void))[DIM]
{
    float (*e)[DIM] = calloc(ITEMS, sizeof *e);
    uint64_t s = 7;
    if (!e)
        exit(1);
    for (int i = 0; i < ITEMS; i++) {
        uint32_t r = rnd(&s);
        for (int d = 0; d < DIM; d++)
            e[i][d] = (float)((int)(r >> d & 1023) - 512) / 512.0f;
        stats[i].boost = (int32_t)(r & 15);
    }
    return e;
}

/* parallel: own block of users and scores, random embedding rows and stats */
static void score_all(struct user *u, float (*e)[DIM], int32_t *score)
{
    int i;
#pragma omp parallel for schedule(static)
    for (i = 0; i < USERS; i++) {
        const float *m = model[u[i].region];
        float best = -1e9f;
        int32_t boost = 0;
        for (int k = 0; k < HIST; k += 3) {
            uint32_t it = u[i].item[k];
            float dot = u[i].bias;
            for (int d = 0; d < DIM; d++)
                dot += (u[i].taste[d] + m[d]) * e[it][d];
            if (dot > best)
                best = dot;
            boost += stats[it].boost;
        }
        u[i].bias = 0.9f * u[i].bias + 0.001f * best;
        score[i] = (int32_t)(best * 256.0f) + boost;
    }
}

/* serial: the first thread looks through all scores and item statistics */
static int64_t recalibrate(const int32_t *score, int epoch)
{
    int64_t sum = 0;
    for (int i = 0; i < USERS; i++)
        sum += score[i] >> (i & 3);
    for (int i = 0; i < ITEMS; i++) {
        stats[i].seen += (i + epoch) & 3;
        stats[i].boost = (stats[i].boost + stats[i].seen) & 31;
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct user *users;
    float (*embed)[DIM];
    int32_t *score = malloc(sizeof *score * USERS);
    int64_t sum = 0;

    if (argc > 1)
        omp_set_num_threads(atoi(argv[1]));
    else if (!getenv("OMP_NUM_THREADS"))
        omp_set_num_threads(8);
    if (!score)
        return 1;
    for (int g = 0; g < 64; g++)
        for (int d = 0; d < DIM; d++)
            model[g][d] = (float)((g * 5 + d * 3) % 17) / 17.0f;
    users = load_users();
    embed = load_embedding();
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        score_all(users, embed, score);
        sum = sum * 3 + recalibrate(score, epoch);
    }
    printf("checksum %lld\n", (long long)sum);
    free(users), free(embed), free(score);
    return 0;
}
