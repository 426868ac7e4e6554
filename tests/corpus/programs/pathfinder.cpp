// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: Rodinia's pathfinder: a wall of rows in one new[], set by main; each row's columns are divided, row after row
// fix: parts
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int rows, cols;
static int *data, **wall, *result;

#define MIN(a, b) ((a) <= (b) ? (a) : (b))

static void init(int r, int c)
{
    rows = r;
    cols = c;
    data = new int[rows * cols];
    wall = new int *[rows];
    for (int n = 0; n < rows; n++)
        wall[n] = data + cols * n;
    result = new int[cols];
    srand(9);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            wall[i][j] = rand() % 10;
    for (int j = 0; j < cols; j++)
        result[j] = wall[0][j];
}

static void run(int *src, int *dst)
{
    for (int t = 0; t < rows - 1; t++) {
        int *swap = src;
        src = dst;
        dst = swap;
#pragma omp parallel for schedule(static)
        for (int n = 0; n < cols; n++) {
            int min = src[n];
            if (n > 0)
                min = MIN(min, src[n - 1]);
            if (n < cols - 1)
                min = MIN(min, src[n + 1]);
            dst[n] = wall[t + 1][n] + min;
        }
    }
}

int main()
{
    init(64, 32768);
    int *src = new int[cols];
    for (int pass = 0; pass < 6; pass++) {
        memcpy(src, result, sizeof(int) * cols);
        run(src, result);
    }
    std::printf("%d %d\n", result[5], result[cols / 2]);
    delete[] data;
    delete[] wall;
    delete[] result;
    delete[] src;
}
