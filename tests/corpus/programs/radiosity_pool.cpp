// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: main writes all first (class constructor); cols_/vals_ (5 MiB each) and next_ (2 MiB) are then used by blocks of rows per pool worker, while radiosity_ (2 MiB) is gathered at random by all workers
// fix: parts, spread
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

class ThreadPool {
public:
    explicit ThreadPool(int n) : n_(n)
    {
        for (int i = 0; i < n; i++)
            workers_.emplace_back([this, i] { loop(i); });
    }
    ~ThreadPool()
    {
        std::unique_lock<std::mutex> lk(m_);
        stop_ = true;
        lk.unlock();
        start_.notify_all();
        for (auto &w : workers_)
            w.join();
    }
    int size() const { return n_; }
    void run(std::function<void(int)> job) // every worker calls job(its index)
    {
        std::unique_lock<std::mutex> lk(m_);
        job_ = std::move(job);
        pending_ = n_;
        ++generation_;
        start_.notify_all();
        done_.wait(lk, [this] { return pending_ == 0; });
    }

private:
    void loop(int id)
    {
        int seen = 0;
        std::unique_lock<std::mutex> lk(m_);
        for (;;) {
            start_.wait(lk, [&] { return stop_ || generation_ != seen; });
            if (stop_)
                return;
            seen = generation_;
            lk.unlock();
            job_(id);
            lk.lock();
            if (--pending_ == 0)
                done_.notify_one();
        }
    }
    int n_, pending_ = 0, generation_ = 0;
    bool stop_ = false;
    std::function<void(int)> job_;
    std::mutex m_;
    std::condition_variable start_, done_;
    std::vector<std::thread> workers_;
};

class Scene {
public:
    Scene(int patches, int links) : n_(patches), links_(links), radiosity_(patches), next_(patches)
    {
        std::minstd_rand rng(7);
        cols_.reserve(static_cast<std::size_t>(n_) * links_);
        vals_.reserve(static_cast<std::size_t>(n_) * links_);
        for (int i = 0; i < n_; i++) {
            radiosity_[i] = (i % 97 == 0) ? 10.0 : 0.1;
            for (int k = 0; k < links_; k++) { // visible patches, anywhere in the scene
                cols_.push_back(static_cast<std::int32_t>(rng() % n_));
                vals_.push_back(0.8f / links_ * (0.5f + (rng() & 1023) / 1024.0f));
            }
        }
    }
    void bounce(ThreadPool &pool)
    {
        pool.run([&](int id) {
            for (int i = begin(id, pool); i < begin(id + 1, pool); i++) {
                double s = 0.0;
                const std::size_t row = static_cast<std::size_t>(i) * links_;
                for (std::size_t k = row; k < row + links_; k++)
                    s += vals_[k] * radiosity_[cols_[k]];
                next_[i] = 0.5 * (next_[i] + s) + (i % 97 == 0 ? 10.0 : 0.1);
            }
        });
        pool.run([&](int id) {
            for (int i = begin(id, pool); i < begin(id + 1, pool); i++)
                radiosity_[i] = next_[i];
        });
    }
    double total() const
    {
        return std::accumulate(next_.begin(), next_.end(), 0.0);
    }

private:
    int begin(int id, const ThreadPool &pool) const { return static_cast<int>(std::int64_t(n_) * id / pool.size()); }
    int n_, links_;
    std::vector<std::int32_t> cols_;
    std::vector<float> vals_;
    std::vector<double> radiosity_, next_;
};

int main()
{
    Scene scene(262144, 5);
    ThreadPool pool(8);
    for (int it = 0; it < 8; it++)
        scene.bounce(pool);
    std::printf("total radiosity %.6f\n", scene.total());
    return 0;
}
