// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: main inserts prefixes into a trie whose nodes lie in a std::deque; ranges of queries go to std::threads, and each query descends to a random leaf: nobody has a part of the trie
// fix: spread
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <thread>
#include <vector>

struct Node {
    std::array<std::uint32_t, 16> child{};
    std::array<std::uint8_t, 16> hop{};
};

static std::uint32_t scramble(std::uint32_t x)
{
    x ^= x >> 16;
    x *= 0x21f0aaadu;
    x ^= x >> 15;
    x *= 0xd35a2d97u;
    return x ^ x >> 15;
}

class Routes {
public:
    Routes() { nodes.emplace_back(); }

    // Bits of the prefix in multiples of four.
    void insert(std::uint32_t prefix, int bits, std::uint8_t hop)
    {
        std::uint32_t at = 0;
        int shift = 28;
        for (; bits > 4; shift -= 4, bits -= 4) {
            const unsigned digit = prefix >> shift & 15;
            std::uint32_t next = nodes[at].child[digit];
            if (next == 0) {
                next = static_cast<std::uint32_t>(nodes.size());
                nodes.emplace_back();
                nodes[at].child[digit] = next;
            }
            at = next;
        }
        nodes[at].hop[prefix >> shift & 15] = hop;
    }

    std::uint8_t find(std::uint32_t address) const
    {
        std::uint8_t best = 0;
        std::uint32_t at = 0;
        for (int shift = 28; shift >= 0; shift -= 4) {
            const Node &node = nodes[at];
            const unsigned digit = address >> shift & 15;
            best = std::max(best, node.hop[digit]);
            at = node.child[digit];
            if (at == 0)
                break;
        }
        return best;
    }

    std::size_t size() const { return nodes.size(); }

private:
    std::deque<Node> nodes;
};

template <class Body> static void parallel_for(std::size_t begin, std::size_t end, unsigned threads, Body body)
{
    std::vector<std::thread> team;
    for (unsigned t = 0; t < threads; t++)
        team.emplace_back(body, t, begin + (end - begin) * t / threads, begin + (end - begin) * (t + 1) / threads);
    for (std::thread &each : team)
        each.join();
}

int main()
{
    constexpr std::uint32_t prefixes = 100000;
    constexpr unsigned threads = 8;
    Routes routes;
    for (std::uint32_t i = 0; i < prefixes; i++) {
        const std::uint32_t prefix = scramble(i);
        const int bits = i % 8 == 0 ? 16 : 24;
        routes.insert(prefix & ~0u << (32 - bits), bits, static_cast<std::uint8_t>(1 + i % 200));
    }
    std::vector<std::array<unsigned long, 16>> sums(threads);
    parallel_for(0, 1600000, threads, [&](unsigned t, std::size_t from, std::size_t to) {
        unsigned long sum = 0;
        for (std::size_t query = from; query < to; query++) {
            const std::uint32_t random = scramble(static_cast<std::uint32_t>(query) + 0x5bd1e995u);
            sum += routes.find(scramble(random % prefixes) ^ (random >> 24));
        }
        sums[t][0] = sum;
    });
    unsigned long total = 0;
    for (const auto &each : sums)
        total += each[0];
    std::printf("%zu nodes, %lu\n", routes.size(), total);
}
