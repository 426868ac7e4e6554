// SPDX-License-Identifier: Apache-2.0
// truth: new without values, filled by main, used by std::thread
// fix: parts
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>
int main()
{
    const std::size_t n = 1 << 19, threads = 8;
    double *a = new double[n];
    std::iota(a, a + n, 0.0);
    std::vector<double> sums(threads * 8);
    std::vector<std::thread> team;
    for (std::size_t t = 0; t < threads; t++)
        team.emplace_back([=, &sums] {
            double sum = 0;
            for (int sweep = 0; sweep < 80; sweep++)
                for (std::size_t i = n * t / threads; i < n * (t + 1) / threads; i++)
                    sum += a[i];
            sums[t * 8] = sum;
        });
    for (auto &each : team)
        each.join();
    std::printf("%.1f\n", std::accumulate(sums.begin(), sums.end(), 0.0));
    delete[] a;
}
