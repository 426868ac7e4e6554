// SPDX-License-Identifier: Apache-2.0
// truth: all threads look up all of one table: no part belongs to anybody
// fix: spread
#include <stdio.h>
#include <stdlib.h>

#include <stdint.h>
int main(void)
{
    size_t n = 1 << 20;
    uint32_t *table = malloc(n * sizeof *table), sum = 0;
    for (size_t i = 0; i < n; i++)
        table[i] = (uint32_t)i;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (uint32_t k = 0; k < 2400000; k++)
        sum += table[(k * 2654435761u) % n];
    printf("%u\n", sum);
}
