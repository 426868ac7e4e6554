// SPDX-License-Identifier: Apache-2.0
// truth: matrix of malloced rows that their threads allocate and fill: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 1000;
    double **m = malloc(n * sizeof *m), sum = 0;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        m[i] = malloc(n * sizeof(double));
        for (int j = 0; j < n; j++)
            m[i][j] = i - j;
    }
    for (int sweep = 0; sweep < 20; sweep++)
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                sum += m[i][j] * j;
    printf("%.1f\n", sum);
}
