// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: main makes and sets one scratch array; each POSIX thread works in its slice of it
// fix: parts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, SLICE = 100000 };

struct job {
    double *scratch;
    int id;
    double sum;
};

static void *run(void *argument)
{
    struct job *job = argument;
    for (int step = 0; step < 14; step++) {
        for (int i = 1; i < SLICE; i++)
            job->scratch[i] += 0.5 * job->scratch[i - 1] + job->id;
        for (int i = 0; i < SLICE; i++)
            job->sum += job->scratch[i];
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    size_t bytes = sizeof(double) * THREADS * SLICE;
    double *scratch = (double *)malloc(bytes), sum = 0;
    memset(scratch, 1, bytes); // with 0 the compiler makes calloc of it, and main touches nothing
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (struct job){.scratch = scratch + (size_t)t * SLICE, .id = t};
        pthread_create(&threads[t], NULL, run, &jobs[t]);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        sum += jobs[t].sum;
    }
    printf("%.4e\n", sum);
    free(scratch);
}
