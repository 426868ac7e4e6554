// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: already fixed: memory comes uninitialised, each thread fills what it uses, main only sums up: nothing to gain
// fix: none
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

int main()
{
    const size_t n = 1 << 20, threads = 8;
    std::unique_ptr<float[]> data(new float[n]);
    std::vector<double> sums(threads * 8);
    std::vector<std::thread> team;
    for (size_t t = 0; t < threads; t++)
        team.emplace_back([&, t] {
            float *part = data.get() + n / threads * t;
            for (size_t i = 0; i < n / threads; i++)
                part[i] = (float)(i % 7);
            for (int sweep = 0; sweep < 10; sweep++)
                for (size_t i = 0; i < n / threads; i++)
                    sums[t * 8] += part[i];
        });
    for (std::thread &one : team)
        one.join();
    double sum = 0;
    for (double each : sums)
        sum += each;
    std::printf("%.1f\n", sum);
}
