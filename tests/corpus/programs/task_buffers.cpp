// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fourth
// truth: a pool of std::thread; each task allocates a buffer, fills it, sorts it and frees it: nothing to gain
// fix: none
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> next{0};
static double results[64];

static double task(int number)
{
    std::vector<double> buffer(1 << 17);
    unsigned seed = unsigned(number) + 1;
    for (double &each : buffer) {
        seed = seed * 1664525u + 1013904223u;
        each = double(seed >> 8);
    }
    for (int pass = 0; pass < 4; pass++)
        for (size_t i = 1; i < buffer.size(); i++)
            buffer[i] = 0.5 * (buffer[i] + buffer[i - 1]);
    return *std::max_element(buffer.begin(), buffer.end());
}

int main()
{
    std::vector<std::thread> pool;
    for (int t = 0; t < 8; t++)
        pool.emplace_back([] {
            for (int mine; (mine = next++) < 64;)
                results[mine] = task(mine);
        });
    for (auto &thread : pool)
        thread.join();
    double sum = 0;
    for (double each : results)
        sum += each;
    std::printf("%.6e\n", sum);
}
