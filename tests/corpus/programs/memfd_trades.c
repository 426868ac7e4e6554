// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: prices and volumes lie behind each other in one shared mapping of a memfd that main fills; eight pthreads average and then scale their ranges of both, pass after pass
// fix: parts
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 8, TRADES = 1 << 20, PASSES = 8 };

struct range {
    pthread_t thread;
    double *price;
    float *volume;
    size_t first, last;
    double average;
};

static void *map_shared(size_t bytes)
{
    int file = memfd_create("trades", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        perror("memfd");
        exit(1);
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    close(file);
    return memory;
}

static void *work(void *argument)
{
    struct range *r = argument;
    for (int pass = 0; pass < PASSES; pass++) {
        double money = 0, volume = 0;
        for (size_t i = r->first; i < r->last; i++) {
            money += r->price[i] * r->volume[i];
            volume += r->volume[i];
        }
        r->average = money / volume;
        for (size_t i = r->first; i < r->last; i++)
            r->price[i] += 0.125 * (r->average - r->price[i]);
    }
    return NULL;
}

int main(void)
{
    char *memory = map_shared(TRADES * (sizeof(double) + sizeof(float)));
    double *price = (double *)(void *)memory;
    float *volume = (float *)(void *)(memory + TRADES * sizeof *price);
    unsigned state = 11;
    double last = 100;
    for (size_t i = 0; i < TRADES; i++) {
        state = state * 1664525u + 1013904223u;
        last += ((double)(state >> 8 & 0xffff) - 32767.5) / 65536 + (100 - last) / 512;
        price[i] = last;
        volume[i] = (float)(1 + (state >> 27));
    }
    struct range ranges[THREADS];
    for (size_t t = 0; t < THREADS; t++) {
        struct range *r = &ranges[t];
        r->price = price;
        r->volume = volume;
        r->first = t * TRADES / THREADS;
        r->last = (t + 1) * TRADES / THREADS;
        if (pthread_create(&r->thread, NULL, work, r) != 0)
            return 1;
    }
    for (size_t t = 0; t < THREADS; t++)
        pthread_join(ranges[t].thread, NULL);
    for (size_t t = 0; t < THREADS; t++)
        printf("%.6f%c", ranges[t].average, t + 1 < THREADS ? ' ' : '\n');
    munmap(memory, TRADES * (sizeof(double) + sizeof(float)));
}
