// SPDX-License-Identifier: Apache-2.0
// truth: a static grid, filled by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#define N 720
static double grid[N][N];
int main(void)
{
    double sum = 0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            grid[y][x] = x * y % 17;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                sum += grid[y][x];
    }
    printf("%.1f\n", sum);
}
