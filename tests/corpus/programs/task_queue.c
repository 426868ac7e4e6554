// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: a pool of POSIX threads takes blocks from one queue: any thread gets any block
// fix: spread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 96, BLOCK = 8192, ROUNDS = 40, WORKERS = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_task;
static double *matrix, results[WORKERS * 8];

static int take(void)
{
    pthread_mutex_lock(&lock);
    int task = next_task < BLOCKS * ROUNDS ? next_task++ : -1;
    pthread_mutex_unlock(&lock);
    return task;
}

static void *work(void *argument)
{
    double *result = argument;
    for (int task; (task = take()) >= 0;) {
        const double *block = matrix + (size_t)(task * 37 % BLOCKS) * BLOCK;
        for (int i = 0; i < BLOCK; i++)
            *result += block[i];
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    double sum = 0;
    matrix = malloc((size_t)BLOCKS * BLOCK * sizeof *matrix);
    for (size_t i = 0; i < (size_t)BLOCKS * BLOCK; i++)
        matrix[i] = (double)(i % 13);
    for (int w = 0; w < WORKERS; w++)
        pthread_create(&workers[w], NULL, work, &results[w * 8]);
    for (int w = 0; w < WORKERS; w++)
        pthread_join(workers[w], NULL);
    for (int w = 0; w < WORKERS; w++)
        sum += results[w * 8];
    printf("%.1f\n", sum);
}
