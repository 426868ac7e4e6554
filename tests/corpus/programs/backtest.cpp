// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: the tick columns (vectors read from a file by main: time 18.3 MiB, price and size 9.2 MiB each) are written first by main, then all 8 std::async workers read them from end to end (size only where a trade is allowed), once for each of their 9 strategies
// fix: spread
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

// Replay of a recorded market day for a set of trading strategies.

class TickStore {
public:
    explicit TickStore(const std::string &path)
    {
        std::ifstream in(path, std::ios::binary);
        std::uint64_t n = 0;
        in.read(reinterpret_cast<char *>(&n), sizeof n);
        load(in, time_, n);
        load(in, price_, n);
        load(in, size_, n);
        if (!in)
            throw std::ios_base::failure("short tick file");
    }
    std::size_t size() const { return time_.size(); }
    std::int64_t time(std::size_t i) const { return time_[i]; }
    std::int32_t price(std::size_t i) const { return price_[i]; }
    std::int32_t lots(std::size_t i) const { return size_[i]; }

private:
    template <class T> static void load(std::ifstream &in, std::vector<T> &column, std::uint64_t n)
    {
        column.resize(n);
        in.read(reinterpret_cast<char *>(column.data()), std::streamsize(n * sizeof(T)));
    }
    std::vector<std::int64_t> time_;
    std::vector<std::int32_t> price_, size_;
};

static void record(const std::string &path, std::uint64_t n)
{
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char *>(&n), sizeof n);
    for (int column = 0; column < 3; column++) {
        std::uint32_t s = 77u;
        std::int64_t now = 0;
        std::int32_t px = 1000000;
        for (std::uint64_t i = 0; i < n; i++) {
            s = s * 1664525u + 1013904223u;
            now += 1 + (s >> 20) % 900;
            px += std::int32_t((s >> 12) % 21) - 10;
            const std::int32_t lots = 1 + std::int32_t((s >> 25) % 50);
            if (column == 0)
                out.write(reinterpret_cast<const char *>(&now), sizeof now);
            else
                out.write(reinterpret_cast<const char *>(column == 1 ? &px : &lots), sizeof px);
        }
    }
}

struct Strategy {
    int fast, slow;          // shifts of the two moving averages
    std::int64_t patience;   // least time between two trades
};

static std::int64_t replay(const TickStore &ticks, const Strategy &st)
{
    std::int64_t fast = std::int64_t(ticks.price(0)) << 16, slow = fast;
    std::int64_t cash = 0, position = 0, last_trade = 0, high = 0, drawdown = 0;
    for (std::size_t i = 1; i < ticks.size(); i++) {
        const std::int64_t p = ticks.price(i), x = p << 16;
        fast += (x - fast) >> st.fast;
        slow += (x - slow) >> st.slow;
        const std::int64_t worth = cash + position * p;
        high = std::max(high, worth);
        drawdown = std::max(drawdown, high - worth);
        if (ticks.time(i) - last_trade < st.patience)
            continue;
        const std::int64_t lots = std::min<std::int64_t>(ticks.lots(i), 10);
        if (fast > slow && position <= 50) {
            position += lots;
            cash -= lots * p;
            last_trade = ticks.time(i);
        } else if (fast < slow && position >= -50) {
            position -= lots;
            cash += lots * p;
            last_trade = ticks.time(i);
        }
    }
    return cash + position * ticks.price(ticks.size() - 1) - drawdown / 2;
}

int main(int argc, char **argv)
{
    const int workers = argc > 1 ? std::atoi(argv[1]) : 8;
    const std::string path = "backtest_ticks.tmp";
    record(path, 2400000);
    auto ticks = std::make_shared<const TickStore>(path);
    std::remove(path.c_str());

    std::vector<Strategy> all;
    for (int k = 0; k < 72; k++)
        all.push_back({3 + k % 4, 8 + k % 5, 1000 + 2500 * (k / 20)});

    std::vector<std::future<std::int64_t>> results;
    for (int w = 0; w < workers; w++)
        results.push_back(std::async(std::launch::async, [ticks, &all, w, workers] {
            std::int64_t sum = 0;
            for (std::size_t k = w; k < all.size(); k += workers)
                sum += replay(*ticks, all[k]);
            return sum;
        }));
    std::int64_t total = 0;
    for (auto &r : results)
        total += r.get();
    std::printf("score of %zu strategies: %lld\n", all.size(), static_cast<long long>(total));
}
