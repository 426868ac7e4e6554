// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: keys made by main; each thread counts and scatters its block, into a second array that all write
// fix: parts
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t n = 1 << 20;
    uint32_t *keys = malloc(n * sizeof *keys), *other = malloc(n * sizeof *other), seed = 1;
    static size_t start[64][256];
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        keys[i] = seed;
    }
    for (int pass = 0; pass < 4; pass++) {
#pragma omp parallel
        {
            int me = omp_get_thread_num(), team = omp_get_num_threads();
            size_t first = n * (size_t)me / (size_t)team, last = n * (size_t)(me + 1) / (size_t)team;
            for (int digit = 0; digit < 256; digit++)
                start[me][digit] = 0;
            for (size_t i = first; i < last; i++)
                start[me][keys[i] >> 8 * pass & 255]++;
#pragma omp barrier
#pragma omp single
            {
                size_t sum = 0;
                for (int digit = 0; digit < 256; digit++)
                    for (int t = 0; t < team; t++) {
                        size_t count = start[t][digit];
                        start[t][digit] = sum;
                        sum += count;
                    }
            }
            for (size_t i = first; i < last; i++)
                other[start[me][keys[i] >> 8 * pass & 255]++] = keys[i];
        }
        uint32_t *swap = keys;
        keys = other;
        other = swap;
    }
    printf("%u %u\n", keys[0], keys[n / 2]);
}
