// SPDX-License-Identifier: Apache-2.0
// The loop that fills it is parallel, and still it lies on one node:  fill_vector [SWEEPS [MIB]]
//
// std::vector writes all its elements when it is made, in the thread that makes it: the parallel loop comes too late.
// The fix (PARALLEL_INIT): memory that new leaves as it is, written first by the loop.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

int main(int argc, char **argv)
{
    const int sweeps = argc > 1 ? std::atoi(argv[1]) : 40;
    const std::size_t mib = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 512, count = (mib << 20) / sizeof(double);
#ifdef PARALLEL_INIT
    const std::unique_ptr<double[]> memory(new double[count]);
    double *a = memory.get();
#else
    std::vector<double> memory(count);
    double *a = memory.data();
#endif
    double sum = 0;

#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; i++)
        a[i] = 1.0;

    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < count; i++)
            sum += a[i];
    }
    std::printf("sum %g: %d sweeps of %zu MiB\n", sum, sweeps, mib);
}
