// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, sixteenth
// truth: main's constructor zeroes 16 bitmaps (24 MiB in all, make_unique arrays) and main sets their bits while it ingests rows; eight std::async workers then answer all queries, each over its own range of words of every bitmap, half of them remote
// fix: parts
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <vector>

// A bitmap index of a sales table: one bitmap for each value of three columns.

namespace {

constexpr std::size_t kRows = 12 * 1024 * 1024;
constexpr std::size_t kWords = kRows / 64;
constexpr unsigned kRegions = 6, kTiers = 4, kMonths = 6;
constexpr unsigned kBitmaps = kRegions + kTiers + kMonths;
constexpr unsigned kWorkers = 8, kQueries = 480;

class Bitmap {
public:
    explicit Bitmap(std::size_t words) : words_(std::make_unique<std::uint64_t[]>(words)) {}
    std::uint64_t &operator[](std::size_t i) { return words_[i]; }
    std::uint64_t operator[](std::size_t i) const { return words_[i]; }

private:
    std::unique_ptr<std::uint64_t[]> words_;
};

class Index {
public:
    Index()
    {
        bitmaps_.reserve(kBitmaps);
        for (unsigned b = 0; b < kBitmaps; b++)
            bitmaps_.emplace_back(kWords);
    }

    void ingest()
    {
        std::uint64_t state = 0x9e3779b97f4a7c15u;
        for (std::size_t word = 0; word < kWords; word++) {
            std::array<std::uint64_t, kBitmaps> bits{};
            for (unsigned bit = 0; bit < 64; bit++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                const auto draw = static_cast<unsigned>(state >> 40);
                const std::uint64_t one = std::uint64_t{1} << bit;
                bits[(draw & 0xff) * kRegions >> 8] |= one;
                bits[kRegions + (draw >> 8 & 3)] |= one;
                bits[kRegions + kTiers + ((draw >> 16 & 0xff) * kMonths >> 8)] |= one;
            }
            for (unsigned b = 0; b < kBitmaps; b++)
                bitmaps_[b][word] = bits[b];
        }
    }

    const Bitmap &region(unsigned i) const { return bitmaps_[i % kRegions]; }
    const Bitmap &tier(unsigned i) const { return bitmaps_[kRegions + i % kTiers]; }
    const Bitmap &month(unsigned i) const { return bitmaps_[kRegions + kTiers + i % kMonths]; }

private:
    std::vector<Bitmap> bitmaps_;
};

using Answers = std::vector<std::uint64_t>;

std::uint64_t count(const Index &index, unsigned query, std::size_t from, std::size_t to)
{
    const Bitmap &a = index.region(query), &b = index.region(query * 5 + 2);
    const Bitmap &tier = index.tier(query / 3), &no = index.month(query), &nor = index.month(query / 2 + 3);
    std::uint64_t found = 0;
    for (std::size_t w = from; w < to; w++)
        found += __builtin_popcountll((a[w] | b[w]) & tier[w] & ~(no[w] | nor[w]));
    return found;
}

Answers answer(const Index &index, std::size_t from, std::size_t to)
{
    Answers answers(kQueries);
    for (unsigned q = 0; q < kQueries; q++)
        answers[q] = count(index, q, from, to);
    return answers;
}

} // namespace

int main()
{
    Index index;
    index.ingest();

    std::vector<std::future<Answers>> workers;
    for (std::size_t w = 0; w < kWorkers; w++)
        workers.push_back(std::async(std::launch::async, answer, std::cref(index), kWords * w / kWorkers,
                                     kWords * (w + 1) / kWorkers));
    Answers total(kQueries);
    for (auto &worker : workers) {
        const Answers part = worker.get();
        for (unsigned q = 0; q < kQueries; q++)
            total[q] += part[q];
    }
    std::uint64_t check = 0;
    for (unsigned q = 0; q < kQueries; q++)
        check = check * 31 + total[q];
    std::printf("%llu rows for query 0, check %016llx\n", static_cast<unsigned long long>(total[0]),
                static_cast<unsigned long long>(check));
}
