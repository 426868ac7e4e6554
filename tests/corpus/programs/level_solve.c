// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: a triangular solve by levels: rows lie level by level, and each of 24 levels is divided anew among all threads
// fix: parts
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 24, WIDTH = 2600, ROW = 8, ROWS = LEVELS * WIDTH };

static int *column;
static double *value, *diagonal, *x, *b;

static void assemble(void)
{
    column = malloc(sizeof(int) * ROWS * ROW);
    value = malloc(sizeof(double) * ROWS * ROW);
    diagonal = malloc(sizeof(double) * ROWS);
    x = malloc(sizeof(double) * ROWS);
    b = malloc(sizeof(double) * ROWS);
    unsigned state = 1;
    for (int row = 0; row < ROWS; row++) {
        int level = row / WIDTH;
        for (int k = 0; k < ROW; k++) {
            state = state * 1103515245u + 12345u;
            column[row * ROW + k] = level ? (level - 1) * WIDTH + (int)((state >> 8) % WIDTH) : row;
            value[row * ROW + k] = level ? 0.1 : 0.0;
        }
        diagonal[row] = 2;
        b[row] = row % 13;
        x[row] = 0;
    }
}

static void solve(void)
{
#pragma omp parallel
    for (int level = 0; level < LEVELS; level++) {
#pragma omp for schedule(static)
        for (int row = level * WIDTH; row < (level + 1) * WIDTH; row++) {
            double sum = b[row];
            for (int k = row * ROW; k < (row + 1) * ROW; k++)
                sum -= value[k] * x[column[k]];
            x[row] = sum / diagonal[row];
        }
    }
}

int main(void)
{
    assemble();
    for (int step = 0; step < 30; step++)
        solve();
    printf("%.9f %.9f\n", x[ROWS - 1], x[WIDTH]);
    return 0;
}
