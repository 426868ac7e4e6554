// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: a 3-d transform: work along x and y in planes of z, then a transposition into an array whose planes are of x; main sets it
// fix: parts
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

#define N 64

typedef struct {
    int n;
    double complex *data, *turned;
} cube;

static cube *cube_new(int n)
{
    cube *c = malloc(sizeof *c);
    c->n = n;
    c->data = malloc(sizeof(double complex) * n * n * n);
    c->turned = malloc(sizeof(double complex) * n * n * n);
    return c;
}

static void set(cube *c)
{
    unsigned state = 9;
    for (int i = 0; i < c->n * c->n * c->n; i++) {
        state = state * 1664525u + 1013904223u;
        c->data[i] = (state >> 16) / 65536.0;
        c->turned[i] = 0;
    }
}

/* A pass of butterflies along one line. */
static void line(double complex *x, int stride)
{
    for (int half = 1; half < N; half *= 2)
        for (int i = 0; i < N; i += 2 * half)
            for (int j = i; j < i + half; j++) {
                double complex u = x[j * stride], v = x[(j + half) * stride];
                x[j * stride] = 0.7 * (u + v);
                x[(j + half) * stride] = 0.7 * (u - v);
            }
}

static void planes(double complex *x)
{
#pragma omp parallel for schedule(static)
    for (int z = 0; z < N; z++)
        for (int y = 0; y < N; y++)
            line(x + (z * N + y) * N, 1);
}

static void turn(const double complex *from, double complex *to)
{
#pragma omp parallel for schedule(static)
    for (int x = 0; x < N; x++)
        for (int z = 0; z < N; z++)
            for (int y = 0; y < N; y++)
                to[(x * N + z) * N + y] = from[(z * N + y) * N + x];
}

int main(void)
{
    cube *c = cube_new(N);
    set(c);
    for (int step = 0; step < 4; step++) {
        for (int pass = 0; pass < 3; pass++)
            planes(c->data);
        turn(c->data, c->turned);
        for (int pass = 0; pass < 3; pass++)
            planes(c->turned);
        turn(c->turned, c->data);
    }
    printf("%.6f %.6f\n", creal(c->data[0]), creal(c->data[4321]));
    free(c->data);
    free(c->turned);
    free(c);
    return 0;
}
