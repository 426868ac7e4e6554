// SPDX-License-Identifier: Apache-2.0
// Every thread counts in an element of its own, but eight of them share a cache line:  false_sharing [MILLION_STEPS]
//
// The line travels from core to core. Where its page lies does not matter; perf c2c shows such lines.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static volatile long counts[64] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
    long steps = (argc > 1 ? atol(argv[1]) : 100) * 1000000;
#pragma omp parallel
    {
        int me = omp_get_thread_num() % 64;
        for (long i = 0; i < steps / omp_get_num_threads(); i++)
            counts[me]++;
    }
    printf("%ld steps by %d threads\n", counts[0] * omp_get_max_threads(), omp_get_max_threads());
    return 0;
}
