// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: a table read by all at random, that the program itself spreads over the nodes: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    size_t n = 1 << 20;
    unsigned long nodes = 3;
    unsigned *table = mmap(NULL, n * sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    syscall(SYS_mbind, table, n * sizeof *table, 3 /* MPOL_INTERLEAVE */, &nodes, 8 * sizeof nodes, 0);
    for (size_t i = 0; i < n; i++)
        table[i] = (unsigned)i;
    unsigned long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (unsigned k = 0; k < 1200000; k++)
        sum += table[k * 2654435761u % n];
    printf("%lu\n", sum);
}
