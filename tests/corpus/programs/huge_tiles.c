// SPDX-License-Identifier: Apache-2.0
// truth: two nodes use halves of each huge page
// fix: pages
#include <stdio.h>
#include <stdlib.h>

#include <omp.h>
#include <sys/mman.h>
int main(void)
{
    size_t bytes = 16 << 20, half = (1 << 20) / sizeof(long), halves = bytes / (1 << 20);
    long *a = aligned_alloc(2 << 20, bytes), sum = 0;
    madvise(a, bytes, MADV_HUGEPAGE);
#pragma omp parallel reduction(+ : sum)
    {
        int threads = omp_get_num_threads(), me = omp_get_thread_num();
        for (int sweep = 0; sweep < 7; sweep++)
            for (size_t h = 0; h < halves; h++) {
                int owner = (int)(h / 2 % (size_t)(threads / 2)) + (h % 2 ? threads / 2 : 0);
                for (size_t i = 0; owner == me && i < half; i++)
                    if (sweep == 0)
                        a[h * half + i] = (long)i;
                    else
                        sum += a[h * half + i];
            }
    }
    printf("%ld\n", sum);
}
