// SPDX-License-Identifier: Apache-2.0
// truth: std::vector fills itself in main; blocks
// fix: parts
#include <cstdio>
#include <vector>
int main()
{
    std::size_t n = 1 << 19;
    std::vector<double> a(n, 1.0), b(n);
    double sum = 0;
    for (int sweep = 0; sweep < 15; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < n; i++)
            sum += a[i] + b[i];
    }
    std::printf("%.1f\n", sum);
}
