// truth: the market history (12 MB) is made by main alone and summarised by main alone; the threads that price work on a volatility surface of 32 KiB in cache and read one quote of the history per 64 paths
// fix: none
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace market {

struct Quote {
    double bid, ask, volume;
};

class History {
public:
    explicit History(std::size_t n) : quotes_(n)
    {
        std::uint32_t s = 4711;
        double price = 100;
        for (auto &q : quotes_) {
            s = s * 1664525u + 1013904223u;
            price += (static_cast<double>(s >> 16) / 65536 - 0.5) * 0.2 + (100 - price) * 0.001;
            q.bid = price - 0.01;
            q.ask = price + 0.01;
            q.volume = 1 + (s >> 28);
        }
    }
    std::size_t size() const { return quotes_.size(); }
    const Quote &operator[](std::size_t i) const { return quotes_[i]; }

private:
    std::vector<Quote> quotes_;
};

struct Surface {
    static constexpr int prices = 64, times = 64;
    std::array<std::array<double, prices>, times> vol;

    double at(double price, int step) const
    {
        int p = static_cast<int>(price * 0.32);
        p = p < 0 ? 0 : p >= prices ? prices - 1 : p;
        return vol[step][p];
    }
};

static std::unique_ptr<Surface> calibrate(const History &h)
{
    auto surface = std::make_unique<Surface>();
    std::array<double, Surface::prices> sum{}, weight{};
    for (std::size_t i = 1; i < h.size(); i++) {
        const double move = h[i].bid - h[i - 1].ask;
        const auto p = static_cast<std::size_t>(h[i].bid * 0.32) % Surface::prices;
        sum[p] += h[i].volume * move * move;
        weight[p] += h[i].volume;
    }
    for (int t = 0; t < Surface::times; t++)
        for (int p = 0; p < Surface::prices; p++)
            surface->vol[t][p] = 0.01 + (weight[p] > 0 ? sum[p] / weight[p] : 0.004) + 0.0001 * t;
    return surface;
}

}

namespace pricing {

constexpr int workers = 8;
constexpr std::int64_t batches = 2048, paths = 64;

struct alignas(64) Result {
    std::int64_t call = 0, put = 0, knocked = 0;
};

static double normal(std::uint64_t &s)
{
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    const auto sum = static_cast<std::int64_t>((s & 0xffff) + (s >> 16 & 0xffff) + (s >> 32 & 0xffff) + (s >> 48));
    return static_cast<double>(sum - 131070) * (1.0 / 37837.0);
}

static void batch(const market::Surface &surface, double start, std::int64_t id, Result &r)
{
    std::uint64_t s = static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15ull + 1;
    for (std::int64_t path = 0; path < paths; path++) {
        double price = start;
        bool knocked = false;
        for (int t = 0; t < market::Surface::times; t++) {
            price *= 1 + surface.at(price, t) * normal(s);
            knocked |= price > 130;
        }
        const auto cents = static_cast<std::int64_t>((price - 100) * 100);
        if (knocked)
            r.knocked++;
        else if (cents > 0)
            r.call += cents;
        else
            r.put -= cents;
    }
}

static void price_range(const market::History &h, const market::Surface &surface, std::int64_t from, std::int64_t to, Result &out)
{
    Result mine;
    for (std::int64_t b = from; b < to; b++) {
        const auto &quote = h[static_cast<std::size_t>(b * 7919) % h.size()];
        batch(surface, (quote.bid + quote.ask) / 2, b, mine);
    }
    out = mine;
}

}

int main()
{
    const market::History history(500000);
    const auto surface = market::calibrate(history);
    std::vector<pricing::Result> results(pricing::workers);
    std::vector<std::thread> desk;
    for (int w = 0; w < pricing::workers; w++)
        desk.emplace_back(pricing::price_range, std::cref(history), std::cref(*surface), pricing::batches * w / pricing::workers,
                          pricing::batches * (w + 1) / pricing::workers, std::ref(results[w]));
    for (auto &t : desk)
        t.join();
    pricing::Result all;
    for (const auto &r : results) {
        all.call += r.call;
        all.put += r.put;
        all.knocked += r.knocked;
    }
    std::printf("call %lld put %lld knocked %lld\n", static_cast<long long>(all.call), static_cast<long long>(all.put),
                static_cast<long long>(all.knocked));
}
