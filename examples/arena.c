// SPDX-License-Identifier: Apache-2.0
// A program with its own allocator: arrays are cut from one large piece of memory, and all set by one thread:
//     arena [SWEEPS [MIB]]
//
// To the system there is one block; what lies in it is told apart by the lines that first touch it.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static char *arena, *next;

static void *arena_take(size_t bytes)
{
    void *taken = next;
    next += bytes;
    return taken;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40;
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512, count = (mib << 20) / sizeof(double);
    arena = next = mmap(NULL, 2 * (mib << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena == MAP_FAILED)
        return 1;
    double *x = arena_take(count * sizeof *x), *y = arena_take(count * sizeof *y), sum = 0;

    for (size_t i = 0; i < count; i++)
        x[i] = (double)i;
    for (size_t i = 0; i < count; i++)
        y[i] = 1.0;

    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += x[i] * y[i];
    }
    printf("sum %g: %d sweeps of %zu MiB by %d threads\n", sum, sweeps, 2 * mib, omp_get_max_threads());
    return 0;
}
