// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: main builds a hash table and the probe relation; threads probe their part of the relation, the table at random
// fix: parts, spread
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

struct Tuple {
    uint32_t key, value;
};

static const size_t kBuckets = 1 << 19, kProbe = 1 << 20;

static uint64_t probe(const Tuple *table, const Tuple *relation, size_t from, size_t to)
{
    uint64_t sum = 0;
    for (size_t i = from; i < to; i++) {
        size_t slot = relation[i].key * 2654435761u % kBuckets;
        if (table[slot].key == relation[i].key)
            sum += table[slot].value;
    }
    return sum;
}

int main()
{
    Tuple *table = new Tuple[kBuckets], *relation = new Tuple[kProbe];
    for (size_t i = 0; i < kBuckets; i++)
        table[i] = Tuple{0, 0};
    for (uint32_t key = 1; key < kBuckets / 2; key++)
        table[key * 2654435761u % kBuckets] = Tuple{key, key * 3};
    for (size_t i = 0; i < kProbe; i++)
        relation[i] = Tuple{(uint32_t)((i * 40503u) % kBuckets), (uint32_t)i};
    const int threads = 8;
    std::vector<std::thread> team;
    std::vector<uint64_t> sums(threads * 8);
    for (int t = 0; t < threads; t++)
        team.emplace_back([=, &sums] {
            for (int round = 0; round < 2; round++)
                sums[t * 8] += probe(table, relation, kProbe / threads * t, kProbe / threads * (t + 1));
        });
    for (std::thread &one : team)
        one.join();
    uint64_t sum = 0;
    for (uint64_t each : sums)
        sum += each;
    std::printf("%llu\n", (unsigned long long)sum);
}
