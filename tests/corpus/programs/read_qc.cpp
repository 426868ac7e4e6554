// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: main fills the pools of bases and qualities; batches of 24 reads go to any thread by an atomic counter, another one in each pass
// fix: spread
// Quality control of sequencing reads.  Bases and qualities are packed into
// two string pools; workers fetch small batches of reads from a shared counter.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

struct FreeDeleter {
  void operator()(char* p) const { std::free(p); }
};

class StringPool {
 public:
  explicit StringPool(std::size_t cap)
      : base_(static_cast<char*>(std::malloc(cap))), cap_(cap) {
    if (!base_) std::abort();
  }
  char* grab(std::size_t n) {
    if (used_ + n > cap_) std::abort();
    char* p = base_.get() + used_;
    used_ += n;
    return p;
  }

 private:
  std::unique_ptr<char, FreeDeleter> base_;
  std::size_t cap_, used_ = 0;
};

struct Read {
  const char* bases;
  const char* quals;
  std::uint32_t len;
};

struct Tally {
  std::uint64_t gc = 0, lowq = 0, minim = 0, trimmed = 0;
};

static std::vector<Read> sequence(StringPool& seq, StringPool& qual, std::size_t n) {
  static const char acgt[] = "ACGT";
  std::vector<Read> reads;
  reads.reserve(n);
  std::uint64_t s = 88172645463325252ull;
  for (std::size_t i = 0; i < n; ++i) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    const std::uint32_t len = 100 + s % 101;
    char* b = seq.grab(len);
    char* q = qual.grab(len);
    std::uint64_t r = s;
    for (std::uint32_t k = 0; k < len; ++k) {
      if ((k & 15) == 15) r = r * 6364136223846793005ull + i;
      b[k] = acgt[r >> (2 * (k & 15)) & 3];
      q[k] = static_cast<char>(73 - k / 8 - (r >> (k & 31) & 7));
    }
    reads.push_back(Read{b, q, len});
  }
  return reads;
}

// 3' trimming by running quality sum
static std::uint32_t trim(const Read& r, int cut) {
  std::int32_t sum = 0, best = 0;
  std::uint32_t keep = r.len;
  for (std::uint32_t k = r.len; k-- > 0;) {
    sum += cut - (r.quals[k] - 33);
    if (sum > best) best = sum, keep = k;
  }
  return keep;
}

static void inspect(const Read& r, int cut, Tally& t) {
  const std::uint32_t keep = trim(r, cut);
  t.trimmed += r.len - keep;
  std::uint32_t word = 0, least = ~0u;
  for (std::uint32_t k = 0; k < keep; ++k) {
    const std::uint32_t code = (r.bases[k] >> 1) & 3;
    t.gc += code & 1;
    word = ((word << 2) | code) & 0xFFFFFF;
    const std::uint32_t h = word * 2654435761u;
    if (k >= 11 && h < least) least = h;
  }
  t.minim += least & 0xFFFF;
  t.lowq += r.len - keep > r.len / 2;
}

int main(int argc, char** argv) {
  const char* env = std::getenv("OMP_NUM_THREADS");
  int nt = argc > 1 ? std::atoi(argv[1]) : env ? std::atoi(env) : 8;
  if (nt < 1) nt = 8;

  constexpr std::size_t kReads = 120000, kBatch = 24;
  StringPool seq(kReads * 200), qual(kReads * 200);
  const std::vector<Read> reads = sequence(seq, qual, kReads);

  std::uint64_t sum = 0;
  for (int cut = 12; cut < 36; cut += 6) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> gc{0}, minim{0}, rest{0};
    std::vector<std::thread> team;
    for (int t = 0; t < nt; ++t)
      team.emplace_back([&] {
        Tally mine;
        for (;;) {
          const std::size_t at = next.fetch_add(kBatch);
          if (at >= reads.size()) break;
          const std::size_t end = std::min(at + kBatch, reads.size());
          for (std::size_t i = at; i < end; ++i) inspect(reads[i], cut, mine);
        }
        gc += mine.gc;
        minim += mine.minim;
        rest += mine.lowq * 3 + mine.trimmed;
      });
    for (auto& th : team) th.join();
    sum = sum * 31 + gc + minim * 7 + rest;
  }
  std::printf("checksum %llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
