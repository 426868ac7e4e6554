// SPDX-License-Identifier: Apache-2.0
// stores PATTERN MIB PASSES: arrays of so many MiB, filled by the first thread, that all threads read and write.
// sum: each thread's part of one array gets the sum of two others, at one line. log: each thread looks up lines of a
// table, anywhere in it, and writes what it finds to its part of a log, at another line of the function.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, LINE = 8 /* numbers */ };

static uint64_t *first, *second, *third;
static size_t length;
static int passes, sums;

static void add(uint64_t *restrict result, const uint64_t *one, const uint64_t *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result[i] = one[i] + other[i];
}

static void write_log(uint64_t *log, const uint64_t *table, size_t count, uint64_t seed)
{
    for (size_t i = 0; i + LINE <= count; i += LINE) {
        seed = seed * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
        uint64_t found = table[(seed >> 33) % length];
        for (size_t j = 0; j < LINE; j++)
            log[i + j] = found + j;
    }
}

static void *work(void *argument)
{
    size_t thread = (size_t)(intptr_t)argument, part = length / THREADS, at = thread * part;
    for (int pass = 0; pass < passes; pass++)
        if (sums)
            add(first + at, second + at, third + at, part);
        else
            write_log(first + at, second, part, thread + 1);
    return NULL;
}

static void fill(uint64_t *numbers)
{
    for (size_t i = 0; i < length; i++)
        numbers[i] = i;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc != 4)
        return 2;
    sums = strcmp(argv[1], "sum") == 0;
    length = (size_t)atoi(argv[2]) * (1 << 20) / sizeof(uint64_t);
    passes = atoi(argv[3]);
    first = malloc(length * sizeof *first + 1);
    second = malloc(length * sizeof *second + 1);
    third = malloc(length * sizeof *third + 1);
    if (!first || !second || !third)
        return 1;
    fill(first);
    fill(second);
    if (sums)
        fill(third);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i))
            return 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu\n", first[length / 2]);
    return 0;
}
