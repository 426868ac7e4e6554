// SPDX-License-Identifier: Apache-2.0
// truth: a scratch array of main is freed; the allocator hands its pages out again
// fix: threshold
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 12000, rounds = 40;
    double *kept[40], sum = 0;
    for (size_t r = 0; r < rounds; r++) {
        kept[r] = malloc(n * sizeof(double));
        for (size_t i = 0; i < n; i++)
            kept[r][i] = (double)i;
        sum += kept[r][r]; // or the compiler leaves the stores out
    }
    volatile char *last = malloc(64); // at the end of the heap, keeps it from shrinking
    last[0] = 1;
    for (size_t r = 0; r < rounds; r++)
        free(kept[r]);
    for (size_t r = 0; r < rounds; r++)
        kept[r] = malloc(n * sizeof(double));
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < n; i++)
            kept[r][i] = (double)(r + i);
    for (int sweep = 0; sweep < 30; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t r = 0; r < rounds; r++)
            for (size_t i = 0; i < n; i++)
                sum += kept[r][i];
    }
    printf("%.1f\n", sum + last[0]);
}
