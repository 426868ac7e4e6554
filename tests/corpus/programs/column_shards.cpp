// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, nineteenth
// std: c++20
// truth: each of eight std::jthreads loads a shard of a table into columns of its own (two vectors, 4 MiB together) and answers all queries on its shard alone; main only hands out queries and adds up answers; nothing is to gain
// fix: none
#include <array>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <thread>
#include <vector>

namespace {

constexpr int kShards = 8;
constexpr std::size_t kRows = 512 * 1024;

struct Query {
    std::uint32_t low, high;
    bool sum;
};

class Column {
public:
    explicit Column(std::size_t rows) { values_.reserve(rows); }
    void append(std::uint32_t value) { values_.push_back(value); }
    std::span<const std::uint32_t> values() const { return values_; }

private:
    std::vector<std::uint32_t> values_;
};

class Shard {
public:
    explicit Shard(int number) : keys_(kRows), amounts_(kRows)
    {
        std::uint32_t state = 97u * unsigned(number) + 1;
        for (std::size_t i = 0; i < kRows; i++) {
            state = state * 1664525u + 1013904223u;
            keys_.append(state >> 12);
            amounts_.append(state & 255);
        }
    }

    std::uint64_t answer(const Query &query) const
    {
        const auto keys = keys_.values(), amounts = amounts_.values();
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < keys.size(); i++)
            if (keys[i] >= query.low && keys[i] < query.high)
                total += query.sum ? amounts[i] : 1;
        return total;
    }

private:
    Column keys_, amounts_;
};

class Server {
public:
    Server() : begin_(kShards + 1), end_(kShards + 1)
    {
        for (int number : std::views::iota(0, kShards))
            workers_.emplace_back([this, number](std::stop_token) { work(number); });
    }

    ~Server()
    {
        query_.reset();
        begin_.arrive_and_wait();
    }

    std::uint64_t ask(const Query &query)
    {
        query_ = query;
        begin_.arrive_and_wait();
        end_.arrive_and_wait();
        return std::accumulate(answers_.begin(), answers_.end(), std::uint64_t(0));
    }

private:
    void work(int number)
    {
        const auto shard = std::make_unique<Shard>(number);
        for (;;) {
            begin_.arrive_and_wait();
            if (!query_)
                return;
            answers_[number] = shard->answer(*query_);
            end_.arrive_and_wait();
        }
    }

    std::barrier<> begin_, end_;
    std::optional<Query> query_;
    std::array<std::uint64_t, kShards> answers_{};
    std::vector<std::jthread> workers_;
};

} // namespace

int main()
{
    Server server;
    std::uint64_t check = 0;
    for (std::uint32_t i = 0; i < 12; i++)
        check = check * 31 + server.ask({i * 50000, i * 50000 + 400000, i % 2 == 0});
    std::printf("%llu\n", static_cast<unsigned long long>(check));
    return 0;
}
