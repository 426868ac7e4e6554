// SPDX-License-Identifier: Apache-2.0
// truth: samples in blocks; each thread has bins of its own
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#include <omp.h>
int main(void)
{
    size_t n = 1 << 22;
    unsigned char *pixel = malloc(n);
    long bins[256] = {0};
    for (size_t i = 0; i < n; i++)
        pixel[i] = (unsigned char)(i * 7 + i / 256);
    for (int sweep = 0; sweep < 12; sweep++) {
#pragma omp parallel
        {
            long mine[256] = {0};
#pragma omp for schedule(static)
            for (size_t i = 0; i < n; i += 2)
                mine[pixel[i]]++;
#pragma omp critical
            for (int b = 0; b < 256; b++)
                bins[b] += mine[b];
        }
    }
    printf("%ld %ld\n", bins[3], bins[200]);
}
