// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: a pool of std::thread, each worker with a queue of its own; band b always goes to worker b; main sets the field
// fix: parts
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Worker {
public:
    Worker() : thread([this] { run(); }) {}
    ~Worker()
    {
        post(nullptr);
        thread.join();
    }
    void post(std::function<void()> task)
    {
        std::lock_guard<std::mutex> hold(lock);
        tasks.push_back(std::move(task));
        wake.notify_one();
    }
    void drain()
    {
        std::unique_lock<std::mutex> hold(lock);
        idle.wait(hold, [this] { return tasks.empty() && !busy; });
    }

private:
    void run()
    {
        std::unique_lock<std::mutex> hold(lock);
        for (;;) {
            wake.wait(hold, [this] { return !tasks.empty(); });
            auto task = std::move(tasks.front());
            tasks.pop_front();
            if (!task)
                return;
            busy = true;
            hold.unlock();
            task();
            hold.lock();
            busy = false;
            idle.notify_all();
        }
    }
    std::mutex lock;
    std::condition_variable wake, idle;
    std::deque<std::function<void()>> tasks;
    bool busy = false;
    std::thread thread;
};

int main()
{
    const size_t n = 1200000, workers = 8;
    std::vector<double> field(n, 1.0), next(n);
    for (size_t i = 0; i < n; i++)
        field[i] = double(i % 97);
    std::vector<Worker> pool(workers);
    for (int step = 0; step < 8; step++) {
        for (size_t w = 0; w < workers; w++)
            pool[w].post([&, w] {
                for (size_t i = n * w / workers + 1; i < n * (w + 1) / workers - 1; i++)
                    next[i] = 0.25 * field[i - 1] + 0.5 * field[i] + 0.25 * field[i + 1];
            });
        for (auto &each : pool)
            each.drain();
        field.swap(next);
    }
    std::printf("%.6f\n", field[n / 3]);
}
