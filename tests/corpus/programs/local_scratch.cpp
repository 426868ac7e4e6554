// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: every thread sizes a static thread_local vector at its first call and keeps using it for signals it makes there; main's table of 16 KiB stays in caches: nothing to gain
// fix: none
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

static std::array<float, 4096> window;

static void make_window()
{
    for (std::size_t i = 0; i < window.size(); i++)
        window[i] = 0.5f - 0.5f * std::cos(6.2831853f * static_cast<float>(i) / static_cast<float>(window.size()));
}

static std::vector<float> &scratch(std::size_t count)
{
    static thread_local std::vector<float> buffer;
    if (buffer.size() < count)
        buffer.resize(count);
    return buffer;
}

static double energy(int signal)
{
    constexpr std::size_t count = 400000;
    std::vector<float> &samples = scratch(count);
    unsigned state = static_cast<unsigned>(signal) * 747796405u + 2891336453u;
    for (std::size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        samples[i] = static_cast<float>(state >> 9) / (1 << 22) - 1;
    }
    for (int level = 0; level < 3; level++)
        for (std::size_t i = 2; i < count; i++)
            samples[i] = 0.5f * samples[i] + 0.3f * samples[i - 1] + 0.1f * samples[i - 2];
    double sum = 0;
    for (std::size_t i = 0; i < count; i++) {
        const double value = samples[i] * window[i % window.size()];
        sum += value * value;
    }
    return sum;
}

int main()
{
    constexpr int signals = 16;
    std::array<double, signals> energies{};
    make_window();
#pragma omp parallel for schedule(static) num_threads(8)
    for (int s = 0; s < signals; s++)
        energies[static_cast<std::size_t>(s)] = energy(s);
    double sum = 0;
    for (double e : energies)
        sum += e;
    std::printf("%.6f\n", sum);
}
