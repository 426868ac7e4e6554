// SPDX-License-Identifier: Apache-2.0
// truth: each thread looks up at random, within a block of its own; filled by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#include <omp.h>
#include <stdint.h>
int main(void)
{
    size_t n = 1 << 20;
    uint32_t *table = malloc(n * sizeof *table), sum = 0;
    for (size_t i = 0; i < n; i++)
        table[i] = (uint32_t)i;
#pragma omp parallel reduction(+ : sum)
    {
        size_t threads = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        size_t first = n * me / threads, own = n / threads;
        uint32_t x = 12345 + (uint32_t)me;
        for (int k = 0; k < 300000; k++) {
            x = x * 1664525u + 1013904223u;
            sum += table[first + x % own];
        }
    }
    printf("%u\n", sum);
}
