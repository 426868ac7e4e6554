// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: main writes a log, parses it by getline into an array of readings, sorts that by qsort and copies the columns out; static loops divide the readings and columns in each pass
// fix: parts
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#define COUNT 160000
#define PASSES 12

struct reading {
    unsigned station, time;
    double level, flow, rain;
    double score;
};

static int by_station(const void *left, const void *right)
{
    const struct reading *a = left, *b = right;
    if (a->station != b->station)
        return a->station < b->station ? -1 : 1;
    return a->time < b->time ? -1 : a->time > b->time;
}

static FILE *write_log(void)
{
    FILE *log = tmpfile();
    if (!log)
        exit(1);
    unsigned state = 12345;
    for (unsigned i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        fprintf(log, "%u,%u,%u,%u,%u\n", (state >> 16) % 400, i, 200 + (state >> 8) % 300, 1000 + (state >> 12) % 777,
                (state >> 20) % 9);
    }
    rewind(log);
    return log;
}

static size_t parse(FILE *log, struct reading *into, size_t room)
{
    char *line = NULL, *at;
    size_t length = 0, n = 0;
    while (n < room && getline(&line, &length, log) > 0) {
        struct reading *r = &into[n++];
        r->station = strtoul(line, &at, 10);
        r->time = strtoul(at + 1, &at, 10);
        r->level = strtod(at + 1, &at) / 100;
        r->flow = strtod(at + 1, &at) / 100;
        r->rain = strtod(at + 1, &at);
        r->score = 0;
    }
    free(line);
    return n;
}

int main(void)
{
    FILE *log = write_log();
    struct reading *readings = malloc(COUNT * sizeof *readings);
    if (!readings)
        return 1;
    size_t n = parse(log, readings, COUNT);
    fclose(log);
    qsort(readings, n, sizeof *readings, by_station);

    double *base = malloc(n * sizeof *base), *trend = malloc(n * sizeof *trend);
    if (!base || !trend)
        return 1;
    for (size_t i = 0; i < n; i++) {
        base[i] = readings[i].level;
        trend[i] = readings[i].flow - readings[i].rain;
    }

    for (int pass = 1; pass <= PASSES; pass++) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; i++) {
            struct reading *r = &readings[i];
            double expected = base[i] + 0.1 * trend[i] / pass;
            r->score += (r->level - expected) * (r->level - expected) + 0.01 * r->rain;
        }
#pragma omp parallel for simd schedule(static)
        for (size_t i = 0; i < n; i++) {
            base[i] = 0.9 * base[i] + 0.1 * readings[i].level;
            trend[i] *= 0.95;
        }
    }

    long worst = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        total += (long)(readings[i].score * 1000);
        if (readings[i].score > readings[worst].score)
            worst = (long)i;
    }
    printf("%zu %u %u %ld\n", n, readings[worst].station, readings[worst].time, total);
    free(readings);
    free(base);
    free(trend);
}
