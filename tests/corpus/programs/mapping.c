// SPDX-License-Identifier: Apache-2.0
// truth: an anonymous mapping, filled by main
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#include <sys/mman.h>
int main(void)
{
    size_t bytes = 4 << 20, n = bytes / sizeof(long);
    long *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), sum = 0;
    if (a == MAP_FAILED)
        return 1;
    for (size_t i = 0; i < n; i++)
        a[i] = (long)i;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += a[i];
    }
    printf("%ld\n", sum);
}
