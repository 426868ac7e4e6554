// SPDX-License-Identifier: Apache-2.0
// blend STREAMED STRIDED RANDOM PASSES: arrays of so many MiB (0: none), filled by the first thread. In each pass all
// threads read their parts of the first line by line, of the second every fifth line until none is left, and as many
// lines of the third, anywhere in it.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, LINE = 8 /* numbers */, STEP = 5 };

struct array {
    uint64_t *numbers;
    size_t length;
};

static struct array streamed, strided, looked_up;
static int passes;
static uint64_t sums[THREADS];

static uint64_t stream(const uint64_t *part, size_t length)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += part[i];
    return sum;
}

static uint64_t stride(const uint64_t *part, size_t length)
{
    uint64_t sum = 0;
    for (size_t first = 0; first < STEP; first++)
        for (size_t i = first * LINE; i < length; i += STEP * LINE)
            sum += part[i];
    return sum;
}

static uint64_t look_up(const struct array *array, size_t times, uint64_t seed)
{
    uint64_t sum = 0;
    for (; times; times--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
        sum += array->numbers[(seed >> 33) % array->length];
    }
    return sum;
}

static void *work(void *argument)
{
    size_t thread = (size_t)(intptr_t)argument;
    for (int pass = 0; pass < passes; pass++) {
        size_t part = streamed.length / THREADS, strided_part = strided.length / THREADS;
        sums[thread] += stream(streamed.numbers + thread * part, part);
        sums[thread] += stride(strided.numbers + thread * strided_part, strided_part);
        sums[thread] += look_up(&looked_up, looked_up.length / THREADS / LINE, thread + 1);
    }
    return NULL;
}

static void fill(struct array *array)
{
    for (size_t i = 0; i < array->length; i++)
        array->numbers[i] = i;
}

static size_t length_of(const char *mebibytes)
{
    return (size_t)atoi(mebibytes) * (1 << 20) / sizeof(uint64_t);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc != 5)
        return 2;
    streamed.length = length_of(argv[1]);
    strided.length = length_of(argv[2]);
    looked_up.length = length_of(argv[3]);
    passes = atoi(argv[4]);
    streamed.numbers = malloc(streamed.length * sizeof(uint64_t) + 1);
    strided.numbers = malloc(strided.length * sizeof(uint64_t) + 1);
    looked_up.numbers = malloc(looked_up.length * sizeof(uint64_t) + 1);
    if (!streamed.numbers || !strided.numbers || !looked_up.numbers)
        return 1;
    fill(&streamed);
    fill(&strided);
    fill(&looked_up);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i))
            return 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += sums[i];
    }
    printf("%lu\n", sum);
    return 0;
}
