// SPDX-License-Identifier: Apache-2.0
// truth: a static table that all threads look up at random
// fix: spread
#include <stdio.h>
#include <stdlib.h>

#define SIZE (1 << 20)
static unsigned table[SIZE];
int main(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < SIZE; i++)
        table[i] = i * i;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (unsigned k = 0; k < 2400000; k++)
        sum += table[k * 2654435761u % SIZE];
    printf("%u\n", sum);
}
