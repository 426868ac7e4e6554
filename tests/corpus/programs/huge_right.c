// SPDX-License-Identifier: Apache-2.0
// truth: huge pages, filled as they are used, one serial check: nothing to gain
// fix: none
#include <stdio.h>
#include <stdlib.h>

#include <sys/mman.h>
int main(void)
{
    size_t bytes = 32 << 20, n = bytes / sizeof(double);
    double *a = aligned_alloc(2 << 20, bytes), sum = 0;
    madvise(a, bytes, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        a[i] = 1;
    for (int sweep = 0; sweep < 3; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += a[i];
    }
    for (size_t i = 0; i < n; i += 8)
        sum += a[i];
    printf("%.1f\n", sum);
}
