// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: a vector of vectors that main fills; a thread pool takes blocks from a queue, nobody the same ones again
// fix: spread
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
public:
    explicit Pool(int threads)
    {
        for (int t = 0; t < threads; t++)
            team.emplace_back([this] { serve(); });
    }
    ~Pool()
    {
        {
            std::lock_guard<std::mutex> hold(lock);
            ending = true;
        }
        wake.notify_all();
        for (std::thread &one : team)
            one.join();
    }
    void add(std::function<void()> task)
    {
        {
            std::lock_guard<std::mutex> hold(lock);
            tasks.push(std::move(task));
            open++;
        }
        wake.notify_one();
    }
    void wait()
    {
        std::unique_lock<std::mutex> hold(lock);
        idle.wait(hold, [this] { return open == 0; });
    }

private:
    void serve()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> hold(lock);
                wake.wait(hold, [this] { return ending || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop();
            }
            task();
            std::lock_guard<std::mutex> hold(lock);
            if (--open == 0)
                idle.notify_all();
        }
    }
    std::vector<std::thread> team;
    std::queue<std::function<void()>> tasks;
    std::mutex lock;
    std::condition_variable wake, idle;
    int open = 0;
    bool ending = false;
};

int main()
{
    const size_t blocks = 60, elements = 16384;
    std::vector<std::vector<double>> data(blocks);
    for (size_t b = 0; b < blocks; b++) {
        data[b].resize(elements);
        for (size_t i = 0; i < elements; i++)
            data[b][i] = double(b ^ i);
    }
    std::vector<double> sums(blocks);
    {
        Pool pool(8);
        for (int round = 0; round < 10; round++) {
            for (size_t b = 0; b < blocks; b++)
                pool.add([&, b, round] {
                    size_t mine = (b * 7 + round * 31) % blocks;
                    double sum = 0;
                    for (double each : data[mine])
                        sum += each * 0.5;
                    sums[mine] += sum;
                });
            pool.wait();
        }
    }
    double sum = 0;
    for (double each : sums)
        sum += each;
    std::printf("%.1f\n", sum);
}
