// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: STREAM's static arrays, set by a serial function; copy, scale, add and triad divide them
// fix: parts
#include <stdio.h>

#ifndef STREAM_ARRAY_SIZE
#define STREAM_ARRAY_SIZE 500000
#endif
#ifndef OFFSET
#define OFFSET 0
#endif
typedef double STREAM_TYPE;

static STREAM_TYPE a[STREAM_ARRAY_SIZE + OFFSET], b[STREAM_ARRAY_SIZE + OFFSET], c[STREAM_ARRAY_SIZE + OFFSET];

static void set_up(void)
{
    for (long j = 0; j < STREAM_ARRAY_SIZE; j++) {
        a[j] = 1.0;
        b[j] = 2.0;
        c[j] = 0.0;
    }
}

static void tuned_copy(void)
{
#pragma omp parallel for
    for (long j = 0; j < STREAM_ARRAY_SIZE; j++)
        c[j] = a[j];
}

static void tuned_scale(STREAM_TYPE scalar)
{
#pragma omp parallel for
    for (long j = 0; j < STREAM_ARRAY_SIZE; j++)
        b[j] = scalar * c[j];
}

static void tuned_add(void)
{
#pragma omp parallel for
    for (long j = 0; j < STREAM_ARRAY_SIZE; j++)
        c[j] = a[j] + b[j];
}

static void tuned_triad(STREAM_TYPE scalar)
{
#pragma omp parallel for
    for (long j = 0; j < STREAM_ARRAY_SIZE; j++)
        a[j] = b[j] + scalar * c[j];
}

int main(void)
{
    set_up();
    for (int k = 0; k < 8; k++) {
        tuned_copy();
        tuned_scale(0.3);
        tuned_add();
        tuned_triad(0.3);
    }
    printf("%.6e %.6e %.6e\n", a[17], b[STREAM_ARRAY_SIZE / 2], c[STREAM_ARRAY_SIZE - 1]);
}
