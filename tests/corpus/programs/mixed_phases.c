// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: arrays of a structure of arrays, allocated through a macro and set by helpers of main; long serial set-up phase
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#define ALLOCATE(type, count) ((type *)malloc((count) * sizeof(type)))

struct particles {
    int count;
    float *x, *y, *vx, *vy;
};

static void set(float *p, int n, float value)
{
    while (n--)
        *p++ = value + (float)(n & 3);
}

static struct particles make(int count)
{
    struct particles p = {.count = count};
    p.x = ALLOCATE(float, count);
    p.y = ALLOCATE(float, count);
    p.vx = ALLOCATE(float, count);
    p.vy = ALLOCATE(float, count);
    for (int again = 0; again < 4; again++) {
        set(p.x, count, 1);
        set(p.y, count, 2);
        set(p.vx, count, 0.5f);
        set(p.vy, count, 0.25f);
    }
    return p;
}

int main(void)
{
    struct particles p = make(300000);
    for (int step = 0; step < 16; step++) {
#pragma omp parallel for
        for (int i = 0; i < p.count; i++) {
            p.x[i] += 0.01f * p.vx[i];
            p.y[i] += 0.01f * p.vy[i];
            p.vx[i] -= 0.001f * p.x[i];
            p.vy[i] -= 0.001f * p.y[i];
        }
    }
    printf("%.4f %.4f\n", p.x[3], p.vy[p.count - 1]);
}
