// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-second
// truth: eight std::threads exchange clicks: each makes and keeps its own outboxes (eight vectors of 320 KiB, reserved and written by itself, near it), writes them anew in each round, and after a barrier reads the outbox of every thread that is addressed to it, once; half of these reads are remote, and a box that lies near its reader would be as far from its writer: no placement saves anything
// fix: none
// std: c++20
#include <array>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

constexpr std::size_t workers = 8, clicks = 1 << 17, rounds = 12;

struct Click {
    std::uint32_t user, page;
    float dwell;
    std::uint32_t time;
};

class Outbox {
public:
    Outbox()
    {
        for (auto &box : to_)
            box.reserve(clicks / workers * 5 / 4);
    }
    void clear()
    {
        for (auto &box : to_)
            box.clear();
    }
    void send(const Click &click) { to_[click.user % workers].push_back(click); }
    const std::vector<Click> &addressed(std::size_t worker) const { return to_[worker]; }

private:
    std::array<std::vector<Click>, workers> to_;
};

struct Sessions {
    std::array<double, 512> dwell{};
    std::uint64_t pages = 0;

    void add(const Click &click)
    {
        dwell[click.user / workers % dwell.size()] += click.dwell;
        pages += click.page;
    }
};

class Shuffle {
public:
    Shuffle() : barrier_(workers), outboxes_(workers), results_(workers) {}

    void run()
    {
        std::vector<std::jthread> threads;
        for (std::size_t w = 0; w < workers; w++)
            threads.emplace_back([this, w] { work(w); });
    }

    double dwell() const
    {
        double sum = 0;
        for (const auto &result : results_)
            sum += std::accumulate(result->dwell.begin(), result->dwell.end(), 0.0);
        return sum;
    }

    std::uint64_t pages() const
    {
        std::uint64_t sum = 0;
        for (const auto &result : results_)
            sum += result->pages;
        return sum;
    }

private:
    void work(std::size_t me)
    {
        outboxes_[me] = std::make_unique<Outbox>();
        results_[me] = std::make_unique<Sessions>();
        std::uint32_t seed = std::uint32_t(me) * 77 + 5;
        for (std::size_t round = 0; round < rounds; round++) {
            outboxes_[me]->clear();
            for (std::size_t i = 0; i < clicks; i++) {
                seed = seed * 1664525u + 1013904223u;
                outboxes_[me]->send({seed >> 12, seed >> 20, float(seed >> 24) / 16, std::uint32_t(round)});
            }
            barrier_.arrive_and_wait();
            for (std::size_t from = 0; from < workers; from++)
                for (const Click &click : outboxes_[(me + from) % workers]->addressed(me))
                    results_[me]->add(click);
            barrier_.arrive_and_wait();
        }
    }

    std::barrier<> barrier_;
    std::vector<std::unique_ptr<Outbox>> outboxes_;
    std::vector<std::unique_ptr<Sessions>> results_;
};

int main()
{
    Shuffle shuffle;
    shuffle.run();
    std::printf("dwell %.1f, pages %llu\n", shuffle.dwell(), static_cast<unsigned long long>(shuffle.pages()));
    return 0;
}
