// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: a pipeline of three threads hands frames over; each is made by the first: no placement removes that
// fix: none
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using Frame = std::vector<uint32_t>;

class Channel {
public:
    void put(std::unique_ptr<Frame> frame)
    {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [this] { return frames.size() < 4; });
        frames.push_back(std::move(frame));
        changed.notify_all();
    }
    std::unique_ptr<Frame> take()
    {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [this] { return !frames.empty(); });
        std::unique_ptr<Frame> frame = std::move(frames.front());
        frames.pop_front();
        changed.notify_all();
        return frame;
    }

private:
    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::unique_ptr<Frame>> frames;
};

int main()
{
    const int frames = 60;
    const size_t pixels = 200000;
    Channel raw, filtered;
    uint64_t total = 0;
    std::thread source([&] {
        for (int f = 0; f < frames; f++) {
            auto frame = std::make_unique<Frame>(pixels);
            for (size_t i = 0; i < pixels; i++)
                (*frame)[i] = uint32_t(i * 31 + f);
            raw.put(std::move(frame));
        }
        raw.put(nullptr);
    });
    std::thread filter([&] {
        while (auto frame = raw.take()) {
            for (size_t i = 1; i < pixels; i++)
                (*frame)[i] = ((*frame)[i - 1] + (*frame)[i]) / 2;
            filtered.put(std::move(frame));
        }
        filtered.put(nullptr);
    });
    std::thread sink([&] {
        while (auto frame = filtered.take())
            for (uint32_t each : *frame)
                total += each;
    });
    source.join();
    filter.join();
    sink.join();
    std::printf("%llu\n", (unsigned long long)total);
}
