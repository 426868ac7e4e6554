// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: a slab allocator with one list for each thread; each std::thread builds and walks its own trees of nodes
// fix: none
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Node {
    Node *left = nullptr, *right = nullptr;
    uint64_t key = 0, count = 0;
};

struct Slabs {
    std::vector<std::unique_ptr<Node[]>> slabs;
    size_t used = 0;
    static constexpr size_t PER_SLAB = 4096;
    Node *take()
    {
        if (slabs.empty() || used == PER_SLAB) {
            slabs.push_back(std::make_unique<Node[]>(PER_SLAB));
            used = 0;
        }
        return &slabs.back()[used++];
    }
};

static uint64_t work(uint64_t seed)
{
    static thread_local Slabs memory;
    Node *root = nullptr;
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1, found = 0;
    for (int i = 0; i < 30000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t key = state >> 44;
        Node **at = &root;
        while (*at && (*at)->key != key)
            at = key < (*at)->key ? &(*at)->left : &(*at)->right;
        if (!*at) {
            *at = memory.take();
            (*at)->key = key;
        }
        found += ++(*at)->count;
    }
    return found;
}

int main()
{
    uint64_t sums[8];
    std::vector<std::thread> team;
    for (uint64_t t = 0; t < 8; t++)
        team.emplace_back([&sums, t] { sums[t] = work(t + 1); });
    uint64_t total = 0;
    for (uint64_t t = 0; t < 8; t++) {
        team[t].join();
        total += sums[t];
    }
    std::printf("%llu\n", (unsigned long long)total);
}
