// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-second
// truth: main reads a corpus of text (12 MiB) by fread into one buffer, where the kernel's copy touches it first, and inserts a vocabulary by a helper into a table with open addressing (6 MiB, from calloc); in each epoch every pthread tokenizes its block of the text and looks up keys anywhere in the table; the tokens (12 MiB, calloc) are touched first by the threads that use them, and need nothing
// fix: parts, spread
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 8, TEXT = 12 << 20, SLOTS = 1 << 18, EPOCHS = 4 };

struct entry {
    uint64_t hash;
    uint32_t id, merges;
    float score, backoff;
};

struct vocabulary {
    struct entry *slots;
    uint32_t used;
};

struct corpus {
    char *text;
    uint32_t *tokens;
    size_t length;
};

struct job {
    const struct corpus *corpus;
    const struct vocabulary *vocabulary;
    pthread_barrier_t *barrier;
    size_t begin, end;
    size_t count;
    double score;
};

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t mix(uint64_t hash, unsigned char c)
{
    hash = (hash ^ c) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

static struct entry *find(const struct vocabulary *v, uint64_t hash)
{
    size_t at = (hash * 0xff51afd7ed558ccdu) >> 46;
    while (v->slots[at].hash != 0 && v->slots[at].hash != hash)
        at = (at + 1) % SLOTS;
    return &v->slots[at];
}

static void vocabulary_add(struct vocabulary *v, uint64_t hash)
{
    struct entry *e = find(v, hash);
    if (e->hash == 0) {
        e->hash = hash;
        e->id = ++v->used;
        e->score = -1.0f / (float)(1 + hash % 97);
        e->backoff = -3;
    }
}

/* Words of four letters out of sixteen. */
static FILE *write_sample(void)
{
    FILE *file = tmpfile();
    uint32_t seed = 7;
    if (!file)
        die("tmpfile");
    for (size_t i = 0; i < TEXT; i++) {
        seed = seed * 1664525u + 1013904223u;
        putc(i % 5 == 4 ? ' ' : "etaoinshrdlucmfw"[seed >> 28], file);
    }
    rewind(file);
    return file;
}

static void load(struct corpus *c, struct vocabulary *v)
{
    FILE *file = write_sample();
    c->text = malloc(TEXT);
    c->tokens = calloc(TEXT / 4, sizeof(*c->tokens));
    v->slots = calloc(SLOTS, sizeof(*v->slots));
    if (!c->text || !c->tokens || !v->slots)
        die("memory");
    c->length = fread(c->text, 1, TEXT, file);
    if (c->length != TEXT)
        die("fread");
    fclose(file);
    for (uint32_t word = 0; word < 1 << 16; word++) {
        uint64_t hash = 1;
        for (int i = 0; i < 4; i++) {
            hash = mix(hash, (unsigned char)"etaoinshrdlucmfw"[word >> (4 * i) & 15]);
            vocabulary_add(v, hash);
        }
    }
}

static void *tokenize(void *argument)
{
    struct job *job = argument;
    const struct corpus *c = job->corpus;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        uint32_t *out = c->tokens + job->begin / 4;
        uint64_t hash = 1;
        job->count = 0;
        for (size_t i = job->begin; i < job->end; i++) {
            if (c->text[i] == ' ') {
                const struct entry *e = find(job->vocabulary, hash);
                job->score += e->score + (double)epoch * e->backoff;
                out[job->count++] = e->id;
                hash = 1;
            } else {
                hash = mix(hash, (unsigned char)c->text[i]);
            }
        }
        pthread_barrier_wait(job->barrier);
    }
    return NULL;
}

int main(void)
{
    struct corpus corpus = {0};
    struct vocabulary vocabulary = {0};
    pthread_barrier_t barrier;
    pthread_t threads[WORKERS];
    struct job jobs[WORKERS];
    load(&corpus, &vocabulary);
    pthread_barrier_init(&barrier, NULL, WORKERS);
    for (size_t w = 0; w < WORKERS; w++) {
        jobs[w] = (struct job){&corpus, &vocabulary, &barrier, TEXT / WORKERS * w, TEXT / WORKERS * (w + 1), 0, 0};
        if ((errno = pthread_create(&threads[w], NULL, tokenize, &jobs[w])) != 0)
            die("pthread_create");
    }
    size_t count = 0;
    double score = 0;
    for (size_t w = 0; w < WORKERS; w++) {
        pthread_join(threads[w], NULL);
        count += jobs[w].count;
        score += jobs[w].score;
    }
    printf("%zu tokens, %u entries, score %.6g, last %u\n", count, vocabulary.used, score, corpus.tokens[count / 16]);
    free(corpus.text);
    free(corpus.tokens);
    free(vocabulary.slots);
    return 0;
}
