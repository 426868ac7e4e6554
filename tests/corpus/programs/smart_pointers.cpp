// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: memory behind shared_ptr and make_unique, made by a function and filled by main; std::threads have blocks
// fix: parts
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Signal {
    std::shared_ptr<float[]> samples;
    std::unique_ptr<float[]> filtered;
    size_t count;
};

static Signal make_signal(size_t count)
{
    Signal signal;
    signal.count = count;
    signal.samples = std::shared_ptr<float[]>(new float[count]);
    signal.filtered = std::make_unique<float[]>(count);
    for (size_t i = 0; i < count; i++)
        signal.samples[i] = float(i % 251) - 125.0f;
    return signal;
}

static void filter(const float *in, float *out, size_t first, size_t last, size_t count)
{
    for (int pass = 0; pass < 7; pass++)
        for (size_t i = first; i < last; i++) {
            float before = i ? in[i - 1] : 0.0f, after = i + 1 < count ? in[i + 1] : 0.0f;
            out[i] = out[i] * 0.5f + 0.2f * (before + in[i] + after);
        }
}

int main()
{
    Signal signal = make_signal(2000000);
    std::vector<std::thread> team;
    const size_t threads = 8;
    for (size_t t = 0; t < threads; t++)
        team.emplace_back(filter, signal.samples.get(), signal.filtered.get(), signal.count * t / threads,
                          signal.count * (t + 1) / threads, signal.count);
    for (auto &thread : team)
        thread.join();
    std::printf("%.6f\n", signal.filtered[signal.count / 5]);
}
