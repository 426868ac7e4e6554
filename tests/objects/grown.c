// SPDX-License-Identifier: Apache-2.0
// An array of the heap and a mapping that grow, and move, step by step.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

enum { MIB = 1 << 20, STEPS = 8 };

__attribute__((noinline)) static void by_realloc(void)
{
    char *array = NULL;
    for (int step = 1; step <= STEPS; step++) {
        array = realloc(array, (size_t)step * MIB);
        array[(step - 1) * MIB] = 1;
    }
    free(array);
}

__attribute__((noinline)) static void by_mremap(void)
{
    char *array = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int step = 2; step <= STEPS; step++) {
        array = mremap(array, (size_t)(step - 1) * MIB, (size_t)step * MIB, MREMAP_MAYMOVE);
        array[(step - 1) * MIB] = 1;
    }
    munmap(array, (size_t)STEPS * MIB);
}

int main(void)
{
    by_realloc();
    by_mremap();
    return 0;
}
