// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: main fills the ticks of all symbols (61 MB in a std::pmr arena) with push_back; each thread reads a contiguous block of symbols, read only
// fix: parts
// Replay of one trading day: every symbol's ticks live in a pmr vector that
// takes its memory from one day-wide monotonic arena.  Several strategy
// settings (window lengths) are replayed over the same day.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <thread>
#include <vector>

namespace md {

struct Tick {
  std::int64_t time_ns;
  std::int32_t price;  // in hundredths
  std::int32_t qty;
};

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : s_(seed * 0x9E3779B97F4A7C15ull + 1) {}
  std::uint32_t next() {
    s_ = s_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(s_ >> 33);
  }

 private:
  std::uint64_t s_;
};

class Day {
 public:
  explicit Day(std::size_t symbols) : arena_(4u << 20), series_(&arena_) {
    series_.reserve(symbols);
    for (std::size_t s = 0; s < symbols; ++s) load(s);
  }
  std::size_t size() const { return series_.size(); }
  const std::pmr::vector<Tick>& operator[](std::size_t i) const {
    return series_[i];
  }

 private:
  void load(std::size_t s) {
    Rng rng(s + 17);
    auto& v = series_.emplace_back();
    const std::size_t n = 10000 + rng.next() % 4000;
    v.reserve(n);
    std::int64_t t = 34200000000000ll;
    std::int32_t price = 1000 + static_cast<std::int32_t>(rng.next() % 9000);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t r = rng.next();
      t += 1000 + r % 90000;
      price += static_cast<std::int32_t>(r >> 8 & 7) - 3;
      if (price < 100) price = 100;
      v.push_back(Tick{t, price, static_cast<std::int32_t>(1 + (r >> 12 & 511))});
    }
  }
  std::pmr::monotonic_buffer_resource arena_;
  std::pmr::vector<std::pmr::vector<Tick>> series_;
};

// Trades against the exponentially weighted mean; everything in integers.
std::int64_t replay(const std::pmr::vector<Tick>& ticks, int shift) {
  std::int64_t ema = static_cast<std::int64_t>(ticks.front().price) << 16;
  std::int64_t pos = 0, cash = 0, volume = 0;
  for (const Tick& k : ticks) {
    const std::int64_t p = static_cast<std::int64_t>(k.price) << 16;
    ema += (p - ema) >> shift;
    const std::int64_t lot = k.qty & 31;
    if (p > ema + (2 << 16)) {
      pos += lot;
      cash -= lot * k.price;
    } else if (p < ema - (2 << 16)) {
      pos -= lot;
      cash += lot * k.price;
    }
    volume += k.qty + (k.time_ns & 3);
  }
  return cash + pos * ticks.back().price + volume;
}

}  // namespace md

int main(int argc, char** argv) {
  const char* env = std::getenv("OMP_NUM_THREADS");
  int nt = argc > 1 ? std::atoi(argv[1]) : env ? std::atoi(env) : 8;
  if (nt < 1) nt = 8;

  const md::Day day(320);
  std::vector<std::int64_t> pnl(day.size() * 16, 0);

  std::vector<std::thread> desks;
  for (int t = 0; t < nt; ++t)
    desks.emplace_back([&, t] {
      const std::size_t lo = day.size() * t / nt;
      const std::size_t hi = day.size() * (t + 1) / nt;
      for (int setting = 2; setting < 14; ++setting)
        for (std::size_t s = lo; s < hi; ++s)
          pnl[s * 16 + setting] += md::replay(day[s], setting);
    });
  for (auto& d : desks) d.join();

  std::int64_t sum = 0;
  for (std::size_t i = 0; i < pnl.size(); ++i) sum += pnl[i] * (1 + i % 7);
  std::printf("checksum %lld\n", static_cast<long long>(sum));
  return 0;
}
