// SPDX-License-Identifier: Apache-2.0
// All threads look up all of one table, at random:  shared_table [MILLION_LOOKUPS [MIB]]
//
// No thread has a part of its own, so filling the table in parallel cannot help: whoever fills it, most lookups come
// from elsewhere. What helps is to spread it over all nodes:  numactl --interleave=all ./shared_table
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// xorshift64: Marsaglia, "Xorshift RNGs", 2003.
static uint64_t next_random(uint64_t x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

int main(int argc, char **argv)
{
    size_t lookups = (argc > 1 ? strtoul(argv[1], NULL, 10) : 40) * 1000000;
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512, count = (mib << 20) / sizeof(uint64_t);
    uint64_t *table = malloc(count * sizeof *table), sum = 0;
    if (!table)
        return 1;
    for (size_t i = 0; i < count; i++)
        table[i] = i;

#pragma omp parallel reduction(+ : sum)
    {
        uint64_t x = 88172645463325252u + (uint64_t)omp_get_thread_num();
#pragma omp for schedule(static)
        for (size_t i = 0; i < lookups; i++) {
            x = next_random(x);
            sum += table[x % count];
        }
    }
    printf("sum %llu: %zu lookups in %zu MiB by %d threads\n", (unsigned long long)sum, lookups, mib,
           omp_get_max_threads());
    free(table);
    return 0;
}
