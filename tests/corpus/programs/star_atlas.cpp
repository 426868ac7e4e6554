// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twentieth
// truth: the constructor of a static object makes the stars (a vector of 16 MiB) and their order by cells before main begins; futures of packaged tasks, which any worker of a pool takes, look for stars near random directions all over the atlas
// fix: spread
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <numeric>
#include <queue>
#include <thread>
#include <vector>

namespace {

struct Star {
    double ra, dec;
    float magnitude;
    std::uint32_t id;
    double motion;
};

struct Random {
    std::uint64_t state;
    double operator()()
    {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return double(state >> 11) / 9007199254740992.0;
    }
};

class Atlas {
public:
    static constexpr int kBands = 512, kCount = 512 * 1024;

    explicit Atlas(std::uint64_t seed) : stars_(kCount), bands_(kBands + 1)
    {
        Random random{seed};
        for (int i = 0; i < kCount; i++) {
            Star &star = stars_[i];
            star.dec = (i + random()) / kCount;
            star.ra = random();
            star.magnitude = float(4 + 16 * std::sqrt(random()));
            star.id = std::uint32_t(i);
            star.motion = 1e-6 * (random() - 0.5);
        }
        for (int b = 0; b <= kBands; b++)
            bands_[b] = std::uint32_t(std::uint64_t(b) * kCount / kBands);
        for (int b = 0; b < kBands; b++)
            std::sort(stars_.begin() + bands_[b], stars_.begin() + bands_[b + 1],
                      [](const Star &x, const Star &y) { return x.ra < y.ra; });
    }

    const Star &nearest(double ra, double dec) const
    {
        const int band = std::min(kBands - 1, int(dec * kBands));
        auto begin = stars_.begin() + bands_[band], end = stars_.begin() + bands_[band + 1];
        auto at = std::lower_bound(begin, end, ra, [](const Star &star, double value) { return star.ra < value; });
        if (at == end)
            --at;
        auto best = at;
        for (int k = 0; k < 6 && at != end; k++, ++at)
            if (std::abs(at->dec - dec) < std::abs(best->dec - dec))
                best = at;
        return *best;
    }

private:
    std::vector<Star> stars_;
    std::vector<std::uint32_t> bands_;
};

const Atlas atlas{20261127};

class Pool {
public:
    explicit Pool(unsigned size)
    {
        for (unsigned i = 0; i < size; i++)
            workers_.emplace_back(&Pool::work, this);
    }
    ~Pool()
    {
        {
            std::lock_guard lock(mutex_);
            done_ = true;
        }
        wake_.notify_all();
        for (auto &worker : workers_)
            worker.join();
    }
    std::future<double> submit(std::function<double()> job)
    {
        std::packaged_task<double()> task(std::move(job));
        auto result = task.get_future();
        {
            std::lock_guard lock(mutex_);
            tasks_.push(std::move(task));
        }
        wake_.notify_one();
        return result;
    }

private:
    void work()
    {
        for (;;) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return done_ || !tasks_.empty(); });
            if (tasks_.empty())
                return;
            auto task = std::move(tasks_.front());
            tasks_.pop();
            lock.unlock();
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::queue<std::packaged_task<double()>> tasks_;
    std::vector<std::thread> workers_;
    bool done_ = false;
};

double identify(int image)
{
    Random random{std::uint64_t(image) * 7919 + 1};
    double sum = 0;
    for (int i = 0; i < 6000; i++) {
        const Star &star = atlas.nearest(random(), random());
        sum += star.magnitude + star.motion * image;
    }
    return sum;
}

} // namespace

int main()
{
    Pool pool(8);
    std::vector<std::future<double>> results;
    for (int image = 0; image < 400; image++)
        results.push_back(pool.submit([image] { return identify(image); }));
    double total = 0;
    for (auto &result : results)
        total += result.get();
    std::printf("%.6f\n", total);
}
