// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: blocks of a matrix, each of its own malloc and filled by main; tasks go to any thread
// fix: spread
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 8, BLOCK = 128 };
static float *blocks[SIDE][SIDE];

static float *clean_block(void)
{
    float *p = (float *)malloc(BLOCK * BLOCK * sizeof(float));
    for (int i = 0; i < BLOCK * BLOCK; i++)
        p[i] = 0.001f * (float)(i % 17);
    return p;
}

static void update(float *to, const float *row, const float *column)
{
    for (int i = 0; i < BLOCK * BLOCK; i++)
        to[i] = 0.5f * to[i] + 0.25f * row[i] + 0.125f * column[i];
}

int main(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            blocks[i][j] = clean_block();
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < SIDE; k++) {
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                if (i != k && j != k)
#pragma omp task firstprivate(i, j, k) shared(blocks)
                    update(blocks[i][j], blocks[i][k], blocks[k][j]);
#pragma omp taskwait
    }
    printf("%.5e\n", blocks[3][4][77]);
}
