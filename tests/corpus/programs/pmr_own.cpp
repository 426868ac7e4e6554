// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: each std::thread fills maps and vectors of a std::pmr arena of its own, over a buffer that main makes but does not touch
// fix: none
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <thread>
#include <unordered_map>
#include <vector>

static long shard(std::byte *buffer, size_t bytes, unsigned seed)
{
    std::pmr::monotonic_buffer_resource arena(buffer, bytes);
    std::pmr::unordered_map<unsigned, unsigned> seen(&arena);
    std::pmr::vector<unsigned> keys(&arena);
    seen.reserve(16384);
    keys.reserve(65536);
    unsigned state = seed;
    for (int i = 0; i < 65536; i++) {
        state = state * 1664525u + 1013904223u;
        keys.push_back(state >> 18);
    }
    long found = 0;
    for (int round = 0; round < 6; round++)
        for (unsigned key : keys)
            found += seen[key]++;
    return found;
}

int main()
{
    const size_t bytes = 3u << 20;
    std::vector<std::byte *> buffers;
    for (int t = 0; t < 8; t++)
        buffers.push_back(static_cast<std::byte *>(std::malloc(bytes)));
    std::vector<long> found(8 * 16);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 8; t++)
        threads.emplace_back([&, t] { found[t * 16] = shard(buffers[t], bytes, t + 1); });
    long total = 0;
    for (unsigned t = 0; t < 8; t++) {
        threads[t].join();
        total += found[t * 16];
        std::free(buffers[t]);
    }
    std::printf("%ld\n", total);
}
