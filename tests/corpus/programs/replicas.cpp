// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: each std::thread copies a table that main made, and looks up its copy only: nothing to gain
// fix: none
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

int main()
{
    std::vector<uint32_t> table(100000);
    for (size_t i = 0; i < table.size(); i++)
        table[i] = i * 2654435761u;
    std::vector<std::thread> team;
    std::vector<uint64_t> sums(64);
    for (int t = 0; t < 8; t++)
        team.emplace_back([t, &table, &sums] {
            std::vector<uint32_t> copy(table);
            uint32_t at = t;
            uint64_t sum = 0;
            for (int i = 0; i < 400000; i++) {
                at = copy[at % copy.size()] + i;
                sum += at;
            }
            sums[t * 8] = sum;
        });
    for (auto &one : team)
        one.join();
    uint64_t sum = 0;
    for (uint64_t each : sums)
        sum += each;
    std::printf("%llu\n", (unsigned long long)sum);
}
