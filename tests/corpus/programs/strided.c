// SPDX-License-Identifier: Apache-2.0
// truth: columns of one array, rows divided among threads
// fix: parts
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 512 };
int main(void)
{
    int rows = 1024;
    double (*m)[COLUMNS] = malloc(rows * sizeof *m), sum = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < COLUMNS; c++)
            m[r][c] = r + c;
    for (int sweep = 0; sweep < 40; sweep++)
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < COLUMNS; c += 4)
                sum += m[r][c];
    printf("%.1f\n", sum);
}
