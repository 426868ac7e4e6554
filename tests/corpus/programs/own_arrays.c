// SPDX-License-Identifier: Apache-2.0
// truth: each thread allocates and fills what it uses: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        size_t n = 1 << 16;
        double *mine = malloc(n * sizeof *mine);
        for (size_t i = 0; i < n; i++)
            mine[i] = (double)i;
        for (int sweep = 0; sweep < 20; sweep++)
            for (size_t i = 0; i < n; i++)
                sum += mine[i];
        free(mine);
    }
    printf("%.1f\n", sum);
}
