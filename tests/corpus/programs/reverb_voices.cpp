// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, eighteenth
// truth: main writes the bank of room responses (8 MiB) and the delay lines of 64 voices (8 MiB) first; worker w of a pool always renders voices 8w to 8w+7, whose lines it alone uses, and every worker reads all of the bank
// fix: parts, spread
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// Convolution reverb: each voice is convolved with sparse taps of responses, which change from block to block.

namespace {

constexpr int kWorkers = 8, kVoices = 64, kBlock = 256, kBlocks = 72, kRooms = 64;
constexpr std::size_t kLine = 32768, kResponse = 32768;

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    float next()
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return float(std::int32_t(state_ >> 33) - (1 << 30)) / float(1 << 30);
    }

private:
    std::uint64_t state_;
};

// Threads that end with their pool; each runs the job with its own number.
class Crew {
public:
    explicit Crew(int size)
    {
        for (int w = 0; w < size; w++)
            threads_.emplace_back([this, w] { work(w); });
    }
    ~Crew()
    {
        post([](int) {}, true);
        for (std::thread &thread : threads_)
            thread.join();
    }
    void run(std::function<void(int)> job)
    {
        post(std::move(job), false);
        std::unique_lock<std::mutex> hold(lock_);
        idle_.wait(hold, [this] { return busy_ == 0; });
    }

private:
    void post(std::function<void(int)> job, bool last)
    {
        std::lock_guard<std::mutex> hold(lock_);
        job_ = std::move(job), stop_ = last, busy_ = int(threads_.size()), round_++;
        start_.notify_all();
    }
    void work(int w)
    {
        for (unsigned seen = 0;;) {
            std::unique_lock<std::mutex> hold(lock_);
            start_.wait(hold, [&] { return round_ != seen; });
            seen = round_;
            if (stop_)
                return;
            hold.unlock();
            job_(w);
            hold.lock();
            if (--busy_ == 0)
                idle_.notify_one();
        }
    }
    std::mutex lock_;
    std::condition_variable start_, idle_;
    std::function<void(int)> job_;
    unsigned round_ = 0;
    int busy_ = 0;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

struct Studio {
    std::vector<float> lines = std::vector<float>(kVoices * kLine);
    std::vector<float> bank;
    std::vector<double> level = std::vector<double>(kVoices);

    void load_rooms(Random random)
    {
        bank.reserve(kRooms * kResponse);
        for (int room = 0; room < kRooms; room++) {
            float decay = 1;
            for (std::size_t i = 0; i < kResponse; i++, decay *= 0.9998f)
                bank.push_back(decay * random.next());
        }
    }

    void load_voices(Random random)
    {
        for (float &sample : lines)
            sample = 0.25f * random.next();
    }

    // One block of one voice: the response of the block's room, against the whole line; the result goes into the line.
    void render(int voice, int block)
    {
        float *line = &lines[voice * kLine];
        const float *response = &bank[std::size_t((voice * 7 + block * 11) % kRooms) * kResponse];
        float sums[16] = {};
        for (std::size_t i = 0; i < kLine; i += 16)
            for (int lane = 0; lane < 16; lane++)
                sums[lane] += line[i + lane] * response[i + lane];
        double sum = 0;
        for (float each : sums)
            sum += each;
        for (int i = 0; i < kBlock; i++)
            line[(block * kBlock + i) % kLine] = float(sum) * 0.01f * response[i * 16];
        level[voice] += sum > 0 ? sum : -sum;
    }
};

} // namespace

int main()
{
    Studio studio;
    studio.load_rooms(Random(17));
    studio.load_voices(Random(29));
    {
        Crew crew(kWorkers);
        for (int block = 0; block < kBlocks; block++)
            crew.run([&](int w) {
                for (int voice = w * kVoices / kWorkers; voice < (w + 1) * kVoices / kWorkers; voice++)
                    studio.render(voice, block);
            });
    }
    double all = 0;
    for (double each : studio.level)
        all += each;
    std::printf("level %.3f first %.4f last %.4f\n", all, studio.level.front(), studio.level.back());
}
