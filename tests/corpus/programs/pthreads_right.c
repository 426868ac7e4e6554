// SPDX-License-Identifier: Apache-2.0
// truth: threads of POSIX fill what they use: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
enum { THREADS = 8 };

static double *a, sums[THREADS];
static size_t n = 1 << 19;
static void *work(void *argument)
{
    size_t me = (size_t)argument, first = n * me / THREADS, end = n * (me + 1) / THREADS;
    for (size_t i = first; i < end; i++)
        a[i] = (double)i;
    for (int sweep = 0; sweep < 20; sweep++)
        for (size_t i = first; i < end; i++)
            sums[me] += a[i];
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    a = malloc(n * sizeof *a);
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, work, (void *)t);
    double total = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        total += sums[t];
    }
    printf("%.1f\n", total);
}
