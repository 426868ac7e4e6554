// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twentieth
// truth: main writes 1024 traces into a temporary file and reads them back by one fread into a block of 16 MiB, so that the kernel touches it on behalf of main; eight pthreads pick arrivals on 128 traces each, in ten passes with other windows
// fix: parts
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACES 1024
#define SAMPLES 4096
#define NTHREADS 8
#define PASSES 10

struct survey {
    size_t ntraces, nsamples;
    float *data;
    int *picks;
};

struct job {
    struct survey *survey;
    size_t from, to;
};

static FILE *simulate(void)
{
    FILE *f = tmpfile();
    float line[SAMPLES];
    uint32_t noise = 12345;
    uint64_t header[2] = {TRACES, SAMPLES};

    if (!f)
        return NULL;
    fwrite(header, sizeof header, 1, f);
    for (int t = 0; t < TRACES; t++) {
        for (int i = 0; i < SAMPLES; i++) {
            noise = noise * 1664525u + 1013904223u;
            line[i] = (float)(noise >> 8) / (1 << 24) - 0.5f;
            if (i > 1500 + t / 2)
                line[i] *= 6;
        }
        fwrite(line, sizeof line, 1, f);
    }
    rewind(f);
    return f;
}

static struct survey *survey_load(FILE *f)
{
    struct survey *s = malloc(sizeof *s);
    uint64_t header[2];

    if (!s || fread(header, sizeof header, 1, f) != 1)
        return NULL;
    s->ntraces = header[0];
    s->nsamples = header[1];
    s->data = malloc(s->ntraces * s->nsamples * sizeof *s->data);
    s->picks = malloc(s->ntraces * sizeof *s->picks);
    if (!s->data || !s->picks)
        return NULL;
    if (fread(s->data, sizeof *s->data * s->nsamples, s->ntraces, f) != s->ntraces)
        return NULL;
    memset(s->picks, 0, s->ntraces * sizeof *s->picks);
    return s;
}

static int pick(const float *x, size_t n, int shortw, int longw)
{
    float sta = 0, lta = 1e-6f, best = 0;
    int at = 0;

    for (size_t i = 0; i < n; i++) {
        float e = x[i] * x[i];
        sta += (e - sta) / shortw;
        lta += (e - lta) / longw;
        if (i > 200 && sta / lta > best) {
            best = sta / lta;
            at = (int)i;
        }
    }
    return at;
}

static void *run(void *p)
{
    struct job *job = p;
    struct survey *s = job->survey;

    for (int pass = 0; pass < PASSES; pass++)
        for (size_t t = job->from; t < job->to; t++)
            s->picks[t] += pick(s->data + t * s->nsamples, s->nsamples, 8 + pass, 200 + 20 * pass);
    return NULL;
}

int main(void)
{
    FILE *f = simulate();
    struct survey *s = f ? survey_load(f) : NULL;
    pthread_t threads[NTHREADS];
    struct job jobs[NTHREADS];
    int64_t sum = 0;

    if (!s) {
        fprintf(stderr, "cannot load the survey\n");
        return 1;
    }
    fclose(f);
    for (size_t i = 0; i < NTHREADS; i++) {
        jobs[i].survey = s;
        jobs[i].from = s->ntraces * i / NTHREADS;
        jobs[i].to = s->ntraces * (i + 1) / NTHREADS;
        if (pthread_create(threads + i, NULL, run, jobs + i))
            return 1;
    }
    for (size_t i = 0; i < NTHREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t t = 0; t < s->ntraces; t++)
        sum += s->picks[t] * (int64_t)(t % 7 + 1);
    printf("%" PRId64 "\n", sum);
    free(s->data);
    free(s->picks);
    free(s);
    return 0;
}
