// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: threads add to counters that lie in the same few cache lines: placement cannot help
// fix: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { ROUNDS = 300000 };
    long *count = calloc(64, sizeof *count);
#pragma omp parallel for schedule(static)
    for (int t = 0; t < 8; t++)
        for (int i = 0; i < ROUNDS; i++) {
#pragma omp atomic
            count[(i * 5 + t) % 16]++;
        }
    long sum = 0;
    for (int c = 0; c < 64; c++)
        sum += count[c];
    printf("%ld\n", sum);
}
