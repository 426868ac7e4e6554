// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twentieth
// truth: main makes batches of hashed words in two buffers of each worker, turn about (64 KiB each); each of eight workers learns in a model of its own, which it makes in a monotonic arena of its own (3 MiB); nothing is to gain but the batches, which are small
// fix: none
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <thread>
#include <vector>

constexpr std::size_t kBatch = 16 * 1024, kBuckets = 256 * 1024;
constexpr int kWorkers = 8, kRounds = 14;

struct Batch {
    std::array<std::uint32_t, kBatch> words;
    bool spam = false;
    bool full = false;
};

class Mailbox {
public:
    void put(std::uint64_t &seed, int round)
    {
        Batch &batch = batches_[round % 2];
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return !batch.full; });
        }
        for (auto &word : batch.words) {
            seed = seed * 2862933555777941757ULL + 3037000493ULL;
            word = std::uint32_t(seed >> 33) % kBuckets;
        }
        batch.spam = seed & 64;
        {
            std::lock_guard lock(mutex_);
            batch.full = true;
        }
        changed_.notify_all();
    }

    template <class Learn> void take(int round, Learn learn)
    {
        Batch &batch = batches_[round % 2];
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return batch.full; });
        }
        learn(batch);
        {
            std::lock_guard lock(mutex_);
            batch.full = false;
        }
        changed_.notify_all();
    }

private:
    std::array<Batch, 2> batches_;
    std::mutex mutex_;
    std::condition_variable changed_;
};

struct Model {
    explicit Model(std::pmr::memory_resource *memory) : ham(kBuckets, 1.f, memory), spam(kBuckets, 1.f, memory) {}

    void learn(const Batch &batch)
    {
        auto &counts = batch.spam ? spam : ham;
        for (auto word : batch.words)
            counts[word] += 1.f;
        for (std::size_t i = 0; i < kBuckets; i++) {
            ham[i] *= 0.999f;
            spam[i] *= 0.999f;
        }
    }

    double judge(const Batch &batch) const
    {
        double score = 0;
        for (auto word : batch.words)
            score += (spam[word] - ham[word]) / (spam[word] + ham[word]);
        return score;
    }

    std::pmr::vector<float> ham, spam;
};

int main()
{
    std::vector<std::unique_ptr<Mailbox>> boxes;
    std::array<double, kWorkers> scores{};
    std::vector<std::thread> workers;

    for (int w = 0; w < kWorkers; w++)
        boxes.push_back(std::make_unique<Mailbox>());
    for (int w = 0; w < kWorkers; w++)
        workers.emplace_back([&box = *boxes[w], &score = scores[w]] {
            std::pmr::monotonic_buffer_resource arena(3 << 20);
            Model model(&arena);
            for (int round = 0; round < kRounds; round++)
                box.take(round, [&](const Batch &batch) {
                    score += model.judge(batch);
                    model.learn(batch);
                });
        });
    std::uint64_t seed = 1;
    for (int round = 0; round < kRounds; round++)
        for (auto &box : boxes)
            box->put(seed, round);
    double sum = 0;
    for (int w = 0; w < kWorkers; w++) {
        workers[w].join();
        sum += scores[w] * (w + 1);
    }
    std::printf("%.6f\n", sum);
}
