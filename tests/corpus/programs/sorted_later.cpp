// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: new[] leaves hits untouched and a static loop sets them; main then sorts them once in place, and static loops of the same schedule use them, with an array reduction: pages lie right, nothing to gain
// fix: none
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>

struct Hit {
    std::uint32_t time, channel;
    float charge, weight;
};

static Hit make(int i)
{
    const std::uint32_t mixed = (static_cast<std::uint32_t>(i) ^ 0x5bd1e995u) * 2654435761u;
    return Hit{mixed >> 4, mixed >> 26, 1 + static_cast<float>(mixed >> 12 & 1023) / 256, 1};
}

int main()
{
    constexpr int count = 400000, passes = 12, channels = 64;
    std::unique_ptr<Hit[]> hits(new Hit[count]);
#pragma omp parallel for schedule(static) num_threads(8)
    for (int i = 0; i < count; i++)
        hits[i] = make(i);

    std::sort(hits.get(), hits.get() + count, [](const Hit &a, const Hit &b) { return a.time < b.time; });

    std::uint64_t counted[channels] = {};
    for (int pass = 0; pass < passes; pass++) {
#pragma omp parallel for schedule(static) num_threads(8) reduction(+ : counted[ : channels])
        for (int i = 0; i < count; i++)
            counted[hits[i].channel] += static_cast<std::uint64_t>(hits[i].charge * hits[i].weight * 64);
#pragma omp parallel for schedule(static) num_threads(8)
        for (int i = 0; i < count; i++)
            hits[i].weight = 0.5f * (hits[i].weight + 1 / hits[i].charge);
    }
    std::uint64_t sum = 0;
    for (int c = 0; c < channels; c++)
        sum += counted[c] * static_cast<std::uint64_t>(c + 1);
    std::printf("%llu %u %u\n", static_cast<unsigned long long>(sum), hits[0].time, hits[count - 1].time);
}
