// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: each thread makes, fills and uses its own valarrays
// fix: none
// Continuum fit of many spectra by iterated smoothing.  Each thread makes the
// spectra it works on itself, in valarrays held by shared pointers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <valarray>
#include <vector>

class Spectrum {
 public:
  Spectrum(unsigned id, std::size_t n) : flux_(n), weight_(n), model_(n), id_(id) {
    std::uint32_t r = id * 747796405u + 2891336453u;
    for (std::size_t i = 0; i < n; ++i) {
      r = r * 1664525u + 1013904223u;
      flux_[i] = 100.0 + 1e-3 * static_cast<double>(i) + (r >> 24) / 64.0;
      weight_[i] = (r >> 28) == 3 ? 0.1 : 1.0;
      model_[i] = flux_[i];
    }
  }
  void smooth(double strength) {
    double carry = model_[0];
    for (std::size_t i = 1; i + 1 < model_.size(); ++i) {
      carry += strength * (model_[i] - carry);
      model_[i] = 0.5 * carry + 0.5 * (model_[i] + model_[i + 1]) * 0.5;
    }
  }
  void reject(double sigma) {
    for (std::size_t i = 0; i < model_.size(); ++i) {
      const double d = flux_[i] - model_[i];
      if (d > sigma || d < -sigma) weight_[i] *= 0.5;
      model_[i] += 0.1 * weight_[i] * d;
    }
  }
  std::int64_t digest() const {
    double chi = 0;
    for (std::size_t i = 0; i < model_.size(); ++i) {
      const double d = flux_[i] - model_[i];
      chi += weight_[i] * d * d;
    }
    return static_cast<std::int64_t>(chi * 10.0) * (id_ % 5 + 1);
  }

 private:
  std::valarray<double> flux_, weight_, model_;
  unsigned id_;
};

static void observe(unsigned first, unsigned last, std::int64_t* result) {
  std::vector<std::shared_ptr<Spectrum>> mine;
  for (unsigned s = first; s < last; ++s)
    mine.push_back(std::make_shared<Spectrum>(s, 36000));
  for (int iter = 0; iter < 10; ++iter)
    for (auto& sp : mine) {
      sp->smooth(0.05 + 0.01 * iter);
      sp->reject(3.0 - 0.1 * iter);
    }
  for (unsigned s = first; s < last; ++s) result[s] = mine[s - first]->digest();
}

int main(int argc, char** argv) {
  const char* env = std::getenv("OMP_NUM_THREADS");
  int nt = argc > 1 ? std::atoi(argv[1]) : env ? std::atoi(env) : 8;
  if (nt < 1) nt = 8;
  constexpr unsigned kSpectra = 64;
  std::vector<std::int64_t> result(kSpectra);
  std::vector<std::thread> team;
  for (int t = 0; t < nt; ++t)
    team.emplace_back(observe, kSpectra * t / nt, kSpectra * (t + 1) / nt, result.data());
  for (auto& th : team) th.join();
  std::int64_t sum = 0;
  for (auto v : result) sum += v;
  std::printf("checksum %lld\n", static_cast<long long>(sum));
  return 0;
}
