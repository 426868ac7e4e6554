// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: eight workers, objects whose constructor makes and sets a unique_ptr<float[]> in main; each runs in a std::thread of its own
// fix: parts
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

class Gate {
public:
    explicit Gate(int members) : members(members) {}

    void pass()
    {
        std::unique_lock<std::mutex> hold(lock);
        long mine = round;
        if (++here == members) {
            here = 0;
            ++round;
            changed.notify_all();
        }
        changed.wait(hold, [&] { return round != mine; });
    }

private:
    std::mutex lock;
    std::condition_variable changed;
    int members, here = 0;
    long round = 0;
};

class Worker {
public:
    Worker(int id, size_t n) : size(n), weights(std::make_unique<float[]>(n)), inputs(new float[n])
    {
        for (size_t i = 0; i < n; i++)
            weights[i] = static_cast<float>((i * 31 + id) % 17) * 0.01f;
        std::iota(inputs.get(), inputs.get() + n, static_cast<float>(id));
    }

    void run(int epochs, Gate &gate)
    {
        for (int epoch = 0; epoch < epochs; epoch++) {
            float sum = 0;
            for (size_t i = 0; i < size; i++)
                sum += weights[i] * inputs[i];
            error = sum * 1e-9f;
            gate.pass();
            for (size_t i = 0; i < size; i++)
                weights[i] -= 1e-6f * error * inputs[i];
            gate.pass();
        }
    }

    float result() const { return error; }

private:
    size_t size;
    std::unique_ptr<float[]> weights, inputs;
    float error = 0;
};

int main()
{
    const int count = 8;
    std::vector<std::unique_ptr<Worker>> workers;
    for (int id = 0; id < count; id++)
        workers.push_back(std::make_unique<Worker>(id, 300000));
    Gate gate(count);
    std::vector<std::thread> threads;
    for (auto &each : workers)
        threads.emplace_back([&each, &gate] { each->run(10, gate); });
    for (auto &each : threads)
        each.join();
    float total = 0;
    for (auto &each : workers)
        total += each->result();
    std::printf("%.6f\n", total);
}
