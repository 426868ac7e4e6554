// SPDX-License-Identifier: Apache-2.0
// truth: threads of POSIX sum blocks that main filled
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
enum { THREADS = 8 };

static double *a;
static size_t n = 1 << 19;
static double sums[THREADS];
static void *work(void *argument)
{
    size_t me = (size_t)argument;
    double sum = 0;
    for (int sweep = 0; sweep < 80; sweep++)
        for (size_t i = n * me / THREADS; i < n * (me + 1) / THREADS; i++)
            sum += a[i];
    sums[me] = sum;
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    a = malloc(n * sizeof *a);
    for (size_t i = 0; i < n; i++)
        a[i] = (double)i;
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, work, (void *)t);
    double total = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        total += sums[t];
    }
    printf("%.1f\n", total);
}
