// SPDX-License-Identifier: Apache-2.0
// Half of the threads stream through memory, the others compute:  lopsided [SWEEPS [MIB]]
//
// Each thread has its own memory, all local; but those that stream sit on one node, whose memory serves all of it.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int streaming; // threads that still do

static double compute(void)
{
    double x = 1;
    for (int left = 1; left > 0;) {
        for (int i = 0; i < 1000; i++)
            x = x * 0.999 + 0.001;
#pragma omp atomic read
        left = streaming;
    }
    return x;
}

static double stream(int sweeps, size_t count)
{
    double *a = malloc(count * sizeof *a), sum = 0;
    for (size_t i = 0; a && i < count; i++)
        a[i] = 1.0;
    for (int sweep = 0; a && sweep < sweeps; sweep++)
        for (size_t i = 0; i < count; i++)
            sum += a[i];
    free(a);
#pragma omp atomic
    streaming--;
    return sum;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40, threads = omp_get_max_threads();
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 512;
    size_t count = 2 * (mib << 20) / sizeof(double) / (size_t)threads;
    double sum = 0;
    streaming = threads / 2;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += omp_get_thread_num() < threads / 2 ? stream(sweeps, count) : compute();
    printf("sum %g: %d sweeps of %zu MiB by %d of %d threads\n", sum, sweeps, mib, threads / 2, threads);
    return 0;
}
