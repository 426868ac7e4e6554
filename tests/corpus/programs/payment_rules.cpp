// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-sixth
// truth: main reads 200000 payments (64 bytes each, 12.2 MiB) from a text feed and puts them into one std::vector by push_back (no reserve: the last growth moves 8 MiB into a block of 16 MiB, of which 12.2 MiB are touched, all by main); a pool of eight std::threads with one queue applies five rules in five rounds, each as 67 jobs of 3000 payments, and whoever is free takes the next job, so that no thread owns a part; half of the requests are remote and main's node serves all of them; spread over the nodes: half stay remote, but both nodes serve them; the table of merchants (16 KiB) stays in the caches
// fix: spread
#include <algorithm>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Payment {
    std::uint64_t account;
    std::uint32_t merchant, minute;
    double amount;
    float features[8] = {};
    std::uint64_t hits = 0;
};
static_assert(sizeof(Payment) == 64);

class Pool {
public:
    using Job = std::function<void()>;
    explicit Pool(unsigned workers)
    {
        while (threads_.size() < workers)
            threads_.emplace_back([this] { work(); });
    }
    ~Pool()
    {
        for (std::size_t t = 0; t < threads_.size(); t++)
            submit(nullptr);
        for (auto &thread : threads_)
            thread.join();
    }
    void submit(Job job)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        jobs_.push(std::move(job));
        pending_++;
        more_.notify_one();
    }
    void drain()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        idle_.wait(lock, [this] { return pending_ == 0; });
    }

private:
    void work()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            more_.wait(lock, [this] { return !jobs_.empty(); });
            const Job job = std::move(jobs_.front());
            jobs_.pop();
            if (!job) // closing time
                return;
            lock.unlock();
            job();
            lock.lock();
            if (--pending_ == 0)
                idle_.notify_all();
        }
    }
    std::mutex mutex_;
    std::condition_variable more_, idle_;
    std::queue<Job> jobs_;
    std::vector<std::thread> threads_;
    std::size_t pending_ = 0;
};

// A line is account,merchant,minute,cents.
static Payment parse(const std::string &line)
{
    std::uint64_t fields[4];
    const char *at = line.data(), *end = at + line.size();
    for (auto &field : fields) {
        const auto [next, error] = std::from_chars(at, end, field);
        if (error != std::errc())
            throw std::runtime_error("bad line: " + line);
        at = next + 1;
    }
    return {fields[0], static_cast<std::uint32_t>(fields[1]), static_cast<std::uint32_t>(fields[2]), 0.01 * fields[3]};
}

static std::vector<Payment> read_feed(std::size_t count)
{
    std::vector<Payment> payments;
    std::uint64_t state = 17;
    for (std::size_t n = 0; n < count; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        payments.push_back(parse(std::to_string(state >> 45) + ',' + std::to_string(state >> 20 & 0xfff) + ',' +
                                 std::to_string(n / 90) + ',' + std::to_string(100 + (state >> 33) % 90000)));
    }
    return payments;
}

using Merchants = std::vector<float>; // the share of chargebacks
enum Rule { AMOUNT, NIGHT, MERCHANT, ROUND_SUM, SCORE, RULES };

static double apply(Rule rule, float threshold, const Merchants &merchants, Payment *first, Payment *last)
{
    double flagged = 0;
    for (Payment *p = first; p != last; ++p) {
        float *f = p->features;
        if (rule == AMOUNT)
            f[rule] = static_cast<float>(std::log1p(p->amount)) / 7;
        else if (rule == NIGHT)
            f[rule] = 0.45f + 0.45f * std::cos(static_cast<float>(p->minute % 1440) / 229);
        else if (rule == MERCHANT)
            f[rule] = 0.5f * f[rule] + 0.5f * merchants[p->merchant];
        else if (rule == ROUND_SUM)
            f[rule] = std::fmod(p->amount, 50.0) < 0.5 && p->account > 400000 ? 1 : 0;
        else
            f[rule] = 1 / (1 + std::exp(2 - f[AMOUNT] - f[NIGHT] - f[MERCHANT] - 2 * f[ROUND_SUM]));
        p->hits += f[rule] > threshold;
        flagged += f[rule] > threshold ? p->amount : 0;
    }
    return flagged;
}

int main()
{
    constexpr std::size_t batch = 3000;
    std::vector<Payment> payments = read_feed(200000);
    Merchants merchants(4096);
    for (std::size_t m = 0; m < merchants.size(); m++)
        merchants[m] = static_cast<float>(m * 2654435761u % 1000) / 1000;
    std::vector<double> flagged((payments.size() + batch - 1) / batch);
    Pool pool(8);
    for (int round = 0; round < 5; round++)
        for (int rule = 0; rule < RULES; rule++) {
            for (std::size_t b = 0; b < flagged.size(); b++)
                pool.submit([&, b, rule, round] {
                    Payment *p = payments.data() + b * batch, *last = p + std::min(batch, payments.size() - b * batch);
                    flagged[b] += apply(Rule(rule), 0.7f + 0.05f * round, merchants, p, last);
                });
            pool.drain();
        }
    std::printf("flagged %.2f in %zu payments\n", std::accumulate(flagged.begin(), flagged.end(), 0.0), payments.size());
}
