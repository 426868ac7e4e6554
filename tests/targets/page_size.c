// SPDX-License-Identifier: Apache-2.0
// Two sides of a trial that differ in page size instead of nodes:  page_size placed|plain
//
// The side that is named reads its zero pages as huge pages, the other one as base pages, each of which costs a fault.
#define _GNU_SOURCE // MADV_HUGEPAGE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, HEAP = 4 << 20, MAPPING = 128 << 20 };

static long sweep(int advice)
{
    long sum = 0;
    char *zeros = mmap(NULL, MAPPING, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED || madvise(zeros, MAPPING, advice) != 0)
        return -1;
    for (size_t i = 0; i < MAPPING; i += PAGE)
        sum += ((volatile char *)zeros)[i];
    munmap(zeros, MAPPING);
    return sum;
}

int main(int argc, char **argv)
{
    char *heap = malloc(HEAP);
    const char *side = getenv("NUMAPROF_PLACE") ? "placed" : "plain";
    int advice = argc > 1 && strcmp(argv[1], side) == 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    long sum = 0;
    if (!heap)
        return 1;
    memset(heap, 1, HEAP);
    sum += sweep(advice);
    printf("%ld\n", sum + heap[PAGE]);
    free(heap);
    return 0;
}
