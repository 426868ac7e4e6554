// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, seventeenth
// truth: the constructor, in main, makes the whole index (16 MiB of cache line blocks), in two passes; OpenMP taskloop tasks search reads in it, every step a jump to anywhere, any thread everywhere: half of the jumps go to the other node
// fix: spread
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

// Backward search of short reads in an FM index of a simulated genome.

class FmIndex {
public:
    explicit FmIndex(std::uint32_t blocks) : blocks_(blocks), block_(allocate(blocks))
    {
        simulate();
        accumulate();
    }

    std::uint32_t size() const { return blocks_ * bases_per_block; }

    // How often the pattern occurs, and how many of its bases were looked at (from the last on).
    std::pair<std::uint32_t, int> find(std::uint64_t pattern, int length) const
    {
        std::uint32_t low = 0, high = size();
        int step = 0;
        while (step < length && low < high) {
            unsigned base = pattern >> 2 * step & 3;
            low = before_[base] + rank(base, low);
            high = before_[base] + rank(base, high);
            step++;
        }
        return {high - low, step};
    }

private:
    static constexpr unsigned words = 6, bases_per_word = 32, bases_per_block = words * bases_per_word;

    struct alignas(64) Block {
        std::uint32_t count[4]; // of each base in all blocks before
        std::uint64_t word[words];
    };
    struct Free {
        void operator()(void *memory) const { std::free(memory); }
    };

    std::uint32_t blocks_;
    std::unique_ptr<Block[], Free> block_;
    std::array<std::uint32_t, 4> before_{};

    static Block *allocate(std::uint32_t blocks)
    {
        void *memory = std::aligned_alloc(alignof(Block), (blocks + std::size_t{1}) * sizeof(Block));
        if (!memory)
            throw std::bad_alloc();
        return static_cast<Block *>(memory);
    }

    // The low bit of each pair is set where the word has this base.
    static std::uint64_t matches(std::uint64_t word, unsigned base)
    {
        word ^= ~(0x5555555555555555u * base);
        return word & word >> 1 & 0x5555555555555555u;
    }

    void simulate()
    {
        std::uint64_t state = 0x106689d45497fdb5u;
        for (std::uint32_t b = 0; b <= blocks_; b++)
            for (std::uint64_t &word : block_[b].word) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                word = state;
            }
    }

    void accumulate()
    {
        std::array<std::uint32_t, 4> sum{};
        for (std::uint32_t b = 0; b <= blocks_; b++)
            for (unsigned base = 0; base < 4; base++) {
                block_[b].count[base] = sum[base];
                if (b < blocks_)
                    for (std::uint64_t word : block_[b].word)
                        sum[base] += __builtin_popcountll(matches(word, base));
            }
        for (unsigned base = 1; base < 4; base++)
            before_[base] = before_[base - 1] + sum[base - 1];
    }

    std::uint32_t rank(unsigned base, std::uint32_t at) const
    {
        const Block &block = block_[at / bases_per_block];
        std::uint32_t rest = at % bases_per_block, count = block.count[base];
        unsigned w = 0;
        for (; rest >= bases_per_word; rest -= bases_per_word)
            count += __builtin_popcountll(matches(block.word[w++], base));
        if (rest)
            count += __builtin_popcountll(matches(block.word[w], base) & ((std::uint64_t{1} << 2 * rest) - 1));
        return count;
    }
};

int main()
{
    constexpr int reads = 200000, length = 14; // seeds of the reads
    const FmIndex index(262144);
    long mapped = 0, steps = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(500) reduction(+ : mapped, steps)
    for (int read = 0; read < reads; read++) {
        std::uint64_t pattern = (static_cast<std::uint64_t>(read) + 1) * 0x9e3779b97f4a7c15u;
        pattern = (pattern ^ pattern >> 30) * 0xbf58476d1ce4e5b9u;
        auto [found, done] = index.find(pattern ^ pattern >> 27, length);
        mapped += found > 0;
        steps += done;
    }
    std::printf("%d reads, %ld mapped, %ld steps\n", reads, mapped, steps);
}
