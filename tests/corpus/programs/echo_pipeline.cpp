// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: the arena of delay lines (8 MiB) is written first by main (cleared in the Arena constructor), then each of the 8 stage threads uses only its own 1 MiB delay line
// fix: parts
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

// Reverberator built as a pipeline: each stage is one thread with one long delay line.

constexpr std::size_t kDelay = 262144; // samples per delay line
constexpr std::size_t kBlock = 4096;
constexpr int kStages = 8;
constexpr int kBlocks = 6 * kDelay / kBlock;

class Arena {
public:
    explicit Arena(std::size_t bytes) : base_(static_cast<char *>(::operator new(bytes))), size_(bytes)
    {
        std::memset(base_, 0, bytes);
    }
    ~Arena() { ::operator delete(base_); }
    Arena(const Arena &) = delete;
    float *floats(std::size_t n)
    {
        std::size_t bytes = n * sizeof(float);
        if (used_ + bytes > size_)
            throw std::bad_alloc();
        float *p = reinterpret_cast<float *>(base_ + used_);
        used_ += bytes;
        return p;
    }

private:
    char *base_;
    std::size_t size_, used_ = 0;
};

using Block = std::vector<float>;

class Channel {
public:
    void push(std::unique_ptr<Block> b)
    {
        std::unique_lock<std::mutex> lk(m_);
        room_.wait(lk, [this] { return q_.size() < 4; });
        q_.push_back(std::move(b));
        data_.notify_one();
    }
    std::unique_ptr<Block> pop()
    {
        std::unique_lock<std::mutex> lk(m_);
        data_.wait(lk, [this] { return !q_.empty(); });
        auto b = std::move(q_.front());
        q_.pop_front();
        room_.notify_one();
        return b;
    }

private:
    std::mutex m_;
    std::condition_variable room_, data_;
    std::deque<std::unique_ptr<Block>> q_;
};

static void stage(float *line, float gain, Channel &in, Channel *out, double &energy)
{
    std::size_t pos = 0;
    while (auto b = in.pop()) {
        for (float &x : *b) { // all-pass section
            float d = line[pos];
            float y = d - gain * x;
            line[pos] = x + gain * y;
            x = y;
            if (++pos == kDelay)
                pos = 0;
        }
        if (out) {
            out->push(std::move(b));
            continue;
        }
        for (float x : *b) // last stage: meter instead of a sound card
            energy += static_cast<double>(x) * x;
    }
    if (out)
        out->push(nullptr); // end of stream
}

int main()
{
    Arena arena(kStages * kDelay * sizeof(float));
    std::vector<Channel> ch(kStages);
    std::vector<std::thread> threads;
    double energy = 0.0;
    for (int s = 0; s < kStages; s++)
        threads.emplace_back(stage, arena.floats(kDelay), 0.35f + 0.04f * s, std::ref(ch[s]),
                             s + 1 < kStages ? &ch[s + 1] : nullptr, std::ref(energy));
    unsigned seed = 12345;
    for (int i = 0; i < kBlocks; i++) {
        auto b = std::make_unique<Block>(kBlock);
        for (float &x : *b) {
            seed = seed * 1664525u + 1013904223u;
            x = static_cast<float>(seed >> 8) / 16777216.0f - 0.5f;
        }
        ch[0].push(std::move(b));
    }
    ch[0].push(nullptr);
    for (auto &t : threads)
        t.join();
    std::printf("output energy %.6f\n", energy);
    return 0;
}
