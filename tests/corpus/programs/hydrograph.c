// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, eighteenth
// truth: main makes the record of river levels longer by realloc before each season (to 24 MiB, pages move as they are) and writes nothing; each of eight pthreads writes the new days of its own reaches and reads the old ones of the same reaches again; main adds the last day
// fix: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
/* Routing of water through river reaches: the level of a day follows from all days of the reach before. */

enum { REACHES = 32768, SEASONS = 12, DAYS = 8, THREADS = 8 };

typedef double day_t[REACHES];

static struct {
    day_t *days;
    int count;
    pthread_barrier_t begin, end;
} record;

static double rain(long reach, int day)
{
    unsigned long h = (unsigned long)reach * 0x9e3779b97f4a7c15ul + (unsigned long)day * 0xc2b2ae3d27d4eb4ful;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9ul;
    return (double)(h >> 40) / (1 << 24);
}

static void route(long from, long to, int first, int past)
{
    for (int day = first; day < past; day++) {
        for (long r = from; r < to; r++)
            record.days[day][r] = rain(r, day);
        double memory = 0.6;
        for (int back = day - 1; back >= 0 && back >= day - 60; back--, memory *= 0.95)
            for (long r = from; r < to; r++)
                record.days[day][r] += 0.05 * memory * record.days[back][r];
    }
}

static void *gauge(void *argument)
{
    long t = (long)argument;
    for (int season = 0; season < SEASONS; season++) {
        pthread_barrier_wait(&record.begin);
        route(REACHES * t / THREADS, REACHES * (t + 1) / THREADS, season * DAYS, record.count);
        pthread_barrier_wait(&record.end);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&record.begin, NULL, THREADS + 1);
    pthread_barrier_init(&record.end, NULL, THREADS + 1);
    for (long t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, gauge, (void *)t) != 0)
            return 1;
    for (int season = 0; season < SEASONS; season++) {
        day_t *longer = realloc(record.days, (size_t)(record.count + DAYS) * sizeof *longer);
        if (longer == NULL)
            return 1;
        record.days = longer;
        record.count += DAYS;
        pthread_barrier_wait(&record.begin);
        pthread_barrier_wait(&record.end);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    double sum = 0, most = 0;
    for (long r = 0; r < REACHES; r++) {
        double level = record.days[record.count - 1][r];
        sum += level;
        most = level > most ? level : most;
    }
    printf("days %d sum %.6f most %.6f\n", record.count, sum, most);
    free(record.days);
}
