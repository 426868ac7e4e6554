// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: halves of one mapping are bound to the nodes that use them, then main fills all of it: nothing to gain
// fix: none
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BIND = 2 };

int main(void)
{
    const size_t count = 1 << 20, half = count / 2 * sizeof(double);
    char *memory = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    for (int node = 0; node < 2; node++) {
        unsigned long mask = 1UL << node;
        syscall(SYS_mbind, memory + node * half, half, BIND, &mask, 8 * sizeof mask, 0);
    }
    double *a = (double *)memory, sum = 0;
    for (size_t i = 0; i < count; i++)
        a[i] = i % 7;
    for (int step = 0; step < 16; step++)
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < count; i++)
            a[i] = a[i] * 0.5 + 1;
    for (size_t i = 0; i < count; i += 1000)
        sum += a[i];
    printf("%.6f\n", sum);
    return 0;
}
