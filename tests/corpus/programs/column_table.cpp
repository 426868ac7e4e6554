// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: main zeroes six columns inside std::make_unique and fills them; each thread a block of rows of each
// fix: parts
// A small column store: TPC-H like scans with filter, projection, aggregation.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <omp.h>

template <class T>
class Column {
 public:
  Column() = default;
  explicit Column(std::size_t n) : data_(std::make_unique<T[]>(n)), n_(n) {}
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return n_; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t n_ = 0;
};

struct LineItem {
  explicit LineItem(std::size_t n)
      : ship_date(n), quantity(n), price(n), discount(n), region(n), revenue(n) {}
  Column<std::int32_t> ship_date;
  Column<std::int32_t> quantity;
  Column<std::int64_t> price;
  Column<std::int32_t> discount;
  Column<std::uint8_t> region;
  Column<std::int64_t> revenue;
  std::size_t rows() const { return price.size(); }
};

static void generate(LineItem& t) {
  std::uint64_t s = 42;
  for (std::size_t i = 0; i < t.rows(); ++i) {
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    const std::uint32_t r = static_cast<std::uint32_t>(s >> 32);
    t.ship_date[i] = static_cast<std::int32_t>(8000 + r % 2500);
    t.quantity[i] = static_cast<std::int32_t>(1 + (r >> 7 & 63));
    t.price[i] = 90000 + (r >> 3) % 1000000;
    t.discount[i] = static_cast<std::int32_t>(r >> 20 & 15);
    t.region[i] = static_cast<std::uint8_t>(r >> 27 & 7);
  }
}

static void project(LineItem& t, std::int64_t tax) {
  const std::size_t n = t.rows();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i)
    t.revenue[i] = t.price[i] * (100 - t.discount[i]) / 100 + tax * t.quantity[i];
}

static std::int64_t forecast(const LineItem& t, std::int32_t from, std::int32_t to) {
  const std::size_t n = t.rows();
  std::int64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) {
    const bool in = t.ship_date[i] >= from && t.ship_date[i] < to;
    sum += in & (t.quantity[i] < 24) ? t.revenue[i] : 0;
  }
  return sum;
}

static std::array<std::int64_t, 8> by_region(const LineItem& t, std::int32_t since) {
  const std::size_t n = t.rows();
  std::array<std::int64_t, 8> total{};
#pragma omp parallel
  {
    std::array<std::int64_t, 8> mine{};
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; ++i)
      mine[t.region[i]] += t.ship_date[i] >= since ? t.revenue[i] : 1;
#pragma omp critical
    for (int g = 0; g < 8; ++g) total[g] += mine[g];
  }
  return total;
}

int main(int argc, char** argv) {
  if (argc > 1)
    omp_set_num_threads(std::atoi(argv[1]));
  else if (!std::getenv("OMP_NUM_THREADS"))
    omp_set_num_threads(8);

  auto table = std::make_unique<LineItem>(2000000);
  generate(*table);

  std::int64_t sum = 0;
  for (int q = 0; q < 8; ++q) {
    project(*table, q * 11);
    sum += forecast(*table, 8000 + 100 * q, 8365 + 200 * q);
    const auto groups = by_region(*table, 9000 + 50 * q);
    for (int g = 0; g < 8; ++g) sum += groups[g] * (g + 1) % 1000003;
  }
  std::printf("checksum %lld\n", static_cast<long long>(sum));
  return 0;
}
