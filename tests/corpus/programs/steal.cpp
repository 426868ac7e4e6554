// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: ranges of one vector are split and stolen: any thread gets any piece, others in each pass
// fix: spread
#include <atomic>
#include <cmath>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

struct Range {
    size_t begin, end;
};

class Deque {
public:
    void push(Range range)
    {
        std::lock_guard<std::mutex> hold(lock);
        ranges.push_back(range);
    }
    bool pop(Range &range)
    {
        std::lock_guard<std::mutex> hold(lock);
        if (ranges.empty())
            return false;
        range = ranges.back();
        ranges.pop_back();
        return true;
    }
    bool steal(Range &range)
    {
        std::lock_guard<std::mutex> hold(lock);
        if (ranges.empty())
            return false;
        range = ranges.front();
        ranges.pop_front();
        return true;
    }

private:
    std::mutex lock;
    std::deque<Range> ranges;
};

static const size_t threads = 8, grain = 8192, size = 1600000, passes = 10;
static Deque deques[threads];
static std::atomic<size_t> finished{0};

template <class Body> static void work(size_t me, const Body &body)
{
    unsigned seed = unsigned(me) * 7919 + 1;
    for (size_t pass = 1; pass <= passes; pass++) {
        if (me == pass % threads)
            deques[me].push({0, size});
        while (finished < pass * size) {
            Range range;
            seed = seed * 1664525u + 1013904223u;
            if (!deques[me].pop(range) && !deques[(seed >> 16) % threads].steal(range)) {
                std::this_thread::yield();
                continue;
            }
            while (range.end - range.begin > grain) {
                size_t middle = range.begin + (range.end - range.begin) / 2;
                deques[me].push({middle, range.end});
                range.end = middle;
            }
            body(range);
            finished += range.end - range.begin;
        }
    }
}

int main()
{
    std::vector<double> values(size);
    for (size_t i = 0; i < size; i++)
        values[i] = double(i % 1000);
    std::vector<std::thread> team;
    for (size_t t = 0; t < threads; t++)
        team.emplace_back([&, t] {
            work(t, [&](Range range) {
                for (size_t i = range.begin; i < range.end; i++)
                    values[i] = 0.5 * values[i] + std::sqrt(values[i]);
            });
        });
    for (auto &thread : team)
        thread.join();
    std::printf("%.6f\n", values[size / 3]);
}
