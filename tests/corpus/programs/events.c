// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: main appends to an array that realloc grows, and fills a calloc index; pthreads sweep blocks of both
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double time, energy;
    int channel, flags;
} event;

typedef struct {
    event *items;
    size_t count, room;
} log_t;

enum { THREADS = 8, EVENTS = 200000, SWEEPS = 14 };

static log_t events;
static int *order;
static double sums[THREADS][8];

static void append(log_t *log, event item)
{
    if (log->count == log->room) {
        log->room = log->room ? log->room + log->room / 2 : 256;
        log->items = realloc(log->items, log->room * sizeof *log->items);
        if (!log->items)
            abort();
    }
    log->items[log->count++] = item;
}

static void *analyse(void *argument)
{
    size_t me = (size_t)argument, from = events.count * me / THREADS, to = events.count * (me + 1) / THREADS;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = from; i < to; i++)
            sums[me][0] += events.items[order[i]].energy * events.items[order[i]].time;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < EVENTS; i++)
        append(&events, (event){.time = i * 0.1, .energy = i % 511, .channel = i % 16});
    order = calloc(events.count, sizeof *order);
    for (size_t i = 0; i < events.count; i++)
        order[i] = (int)(i ^ 1);
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, analyse, (void *)t);
    double sum = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        sum += sums[t][0];
    }
    printf("%.6e\n", sum);
}
