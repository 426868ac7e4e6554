// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twentieth
// truth: a builder in main makes the cells of a landscape (structures of 32 bytes, a vector of 16 MiB) and a copy of it as back buffer; an own parallel_for with fixed workers, one queue of futures each, gives piece w of the rows to worker w; front and back are swapped after each step
// fix: parts
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

class Executor {
    struct Worker {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::packaged_task<void()>> queue;
        bool stop = false;
        std::thread thread;

        void loop()
        {
            while (true) {
                std::packaged_task<void()> task;
                {
                    std::unique_lock<std::mutex> lock(mutex);
                    changed.wait(lock, [&] { return stop || !queue.empty(); });
                    if (queue.empty())
                        return;
                    task = std::move(queue.front());
                    queue.pop_front();
                }
                task();
            }
        }
    };

    std::vector<std::unique_ptr<Worker>> workers;

public:
    explicit Executor(int count)
    {
        for (int i = 0; i < count; i++) {
            workers.push_back(std::make_unique<Worker>());
            workers.back()->thread = std::thread(&Worker::loop, workers.back().get());
        }
    }

    ~Executor()
    {
        for (auto &worker : workers) {
            {
                std::lock_guard<std::mutex> lock(worker->mutex);
                worker->stop = true;
            }
            worker->changed.notify_one();
            worker->thread.join();
        }
    }

    template <class Body> void parallel_for(int begin, int end, const Body &body)
    {
        std::vector<std::future<void>> pending;
        const int count = int(workers.size());
        for (int i = 0; i < count; i++) {
            const int lo = begin + (end - begin) * i / count, hi = begin + (end - begin) * (i + 1) / count;
            std::packaged_task<void()> task([lo, hi, &body] { body(lo, hi); });
            pending.push_back(task.get_future());
            {
                std::lock_guard<std::mutex> lock(workers[i]->mutex);
                workers[i]->queue.push_back(std::move(task));
            }
            workers[i]->changed.notify_one();
        }
        for (auto &each : pending)
            each.get();
    }
};

struct Cell {
    float rock, soil, water, silt;
    float slope, flow, age, spare;
};

struct Landscape {
    int width = 0, height = 0;
    std::vector<Cell> cells;

    Cell &at(int x, int y) { return cells[std::size_t(y) * width + x]; }
    const Cell &at(int x, int y) const { return cells[std::size_t(y) * width + x]; }
};

class LandscapeBuilder {
    Landscape land;

public:
    LandscapeBuilder &size(int width, int height)
    {
        land.width = width;
        land.height = height;
        land.cells.resize(std::size_t(width) * height);
        return *this;
    }
    LandscapeBuilder &hills(float amplitude)
    {
        for (int y = 0; y < land.height; y++)
            for (int x = 0; x < land.width; x++)
                land.at(x, y).rock = amplitude * float((x * 37 + y * 11) % 128) / 128.f;
        return *this;
    }
    LandscapeBuilder &rain(float amount)
    {
        for (Cell &cell : land.cells)
            cell.water = amount;
        return *this;
    }
    Landscape build() { return std::move(land); }
};

static void erode(const Landscape &front, Landscape &back, int first, int last)
{
    for (int y = std::max(first, 1); y < std::min(last, front.height - 1); y++)
        for (int x = 1; x < front.width - 1; x++) {
            const Cell &here = front.at(x, y), &up = front.at(x, y - 1), &left = front.at(x - 1, y);
            Cell &out = back.at(x, y);
            const float level = here.rock + here.soil + here.water;
            const float drop = level - 0.5f * (up.rock + up.soil + up.water + left.rock + left.soil + left.water);
            const float carried = drop > 0 ? 0.05f * drop * here.water : 0.f;
            out.slope = drop;
            out.flow = carried;
            out.water = here.water - carried + 0.001f;
            out.silt = 0.9f * (here.silt + carried * 0.1f);
            out.soil = here.soil + 0.1f * here.silt;
            out.rock = here.rock - 0.01f * carried;
            out.age = here.age + 1.f;
        }
}

int main()
{
    Landscape front = LandscapeBuilder().size(1024, 512).hills(40.f).rain(0.3f).build();
    Landscape back = front;
    {
        Executor executor(8);
        for (int step = 0; step < 24; step++) {
            executor.parallel_for(0, front.height, [&](int lo, int hi) { erode(front, back, lo, hi); });
            std::swap(front, back);
        }
    }
    double sum = 0;
    for (int x = 0; x < front.width; x++)
        sum += front.at(x, front.height / 2).rock + front.at(x, front.height / 3).soil;
    std::printf("%.6f\n", sum);
}
