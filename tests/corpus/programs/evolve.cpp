// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: pool evaluates a population that fits in cache; only main uses the large archive: nothing to gain
// fix: none
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Individual {
    std::array<double, 15> gene;
    double cost;
};

static double cost_of(const Individual &one)
{
    double sum = 0;
    for (size_t g = 0; g + 1 < one.gene.size(); g++) {
        double x = one.gene[g], y = one.gene[g + 1], z = 0.3;
        for (int k = 0; k < 10; k++)
            z = z + 0.1 * (x - z * z) * (1 - 0.2 * y * z);
        double valley = y - x * x;
        sum += 10 * valley * valley + (1 - x) * (1 - x) + z * z;
    }
    return sum;
}

class Crew {
public:
    explicit Crew(int size)
    {
        for (int t = 0; t < size; t++)
            threads_.emplace_back([this] { serve(); });
    }
    ~Crew()
    {
        post(nullptr);
        for (auto &thread : threads_)
            thread.join();
    }
    void evaluate(std::vector<Individual> &population)
    {
        post(&population);
        std::unique_lock<std::mutex> hold(mutex_);
        changed_.wait(hold, [this] { return idle_ == threads_.size(); });
    }

private:
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Individual> *work_ = nullptr;
    std::atomic<size_t> next_{0};
    unsigned round_ = 0;
    size_t idle_ = 0;

    void post(std::vector<Individual> *work)
    {
        std::lock_guard<std::mutex> hold(mutex_);
        work_ = work;
        next_ = 0;
        idle_ = 0;
        round_++;
        changed_.notify_all();
    }
    void serve()
    {
        for (unsigned seen = 0;;) {
            std::unique_lock<std::mutex> hold(mutex_);
            changed_.wait(hold, [&] { return round_ != seen; });
            seen = round_;
            std::vector<Individual> *work = work_;
            hold.unlock();
            if (!work)
                return;
            for (size_t i; (i = next_.fetch_add(8)) < work->size();)
                for (size_t k = i; k < i + 8; k++)
                    (*work)[k].cost = cost_of((*work)[k]);
            hold.lock();
            if (++idle_ == threads_.size())
                changed_.notify_all();
        }
    }
};

int main()
{
    const size_t size = 256, generations = 200;
    uint32_t seed = 5;
    auto random = [&seed] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
    std::vector<Individual> population(size), children(size), archive;
    archive.reserve(size * generations);
    for (auto &one : population)
        for (double &gene : one.gene)
            gene = random() % 4000 / 1000.0 - 2;
    Crew crew(8);
    for (size_t generation = 0; generation < generations; generation++) {
        crew.evaluate(population);
        archive.insert(archive.end(), population.begin(), population.end());
        for (auto &child : children) {
            const Individual &a = population[random() % size], &b = population[random() % size];
            const Individual &old = archive[random() % archive.size()];
            child = a.cost < b.cost ? a : b;
            size_t g = random() % child.gene.size();
            child.gene[g] = 0.5 * (child.gene[g] + old.gene[g]) + (random() % 200 / 1000.0 - 0.1);
        }
        population.swap(children);
    }
    double best = 1e9;
    for (const auto &one : archive)
        best = one.cost < best ? one.cost : best;
    std::printf("%zu tried, best %.5f\n", archive.size(), best);
}
