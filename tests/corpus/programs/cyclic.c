// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: rows of whole pages, handed out cyclically by schedule(static, 1); main fills all of it
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 1024

int main(void)
{
    int rows = 768;
    double(*m)[COLUMNS] = aligned_alloc(4096, sizeof(double[COLUMNS]) * rows), *sums = calloc(rows, sizeof *sums);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < COLUMNS; c++)
            m[r][c] = r ^ c;
    for (int sweep = 0; sweep < 12; sweep++) {
#pragma omp parallel for schedule(static, 1)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < COLUMNS; c++)
                sums[r] += m[r][c] *= 0.999;
    }
    printf("%.6e\n", sums[5] + sums[700]);
}
