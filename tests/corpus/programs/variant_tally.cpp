// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: the big vectors are zeroed and used by the main thread alone; the other threads hand it small batches
// fix: none
// Coverage tally: callers decode alignments into small batches of positions and
// push them to a bounded queue; the main thread alone owns the pile-up.
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using Batch = std::vector<std::uint32_t>;

class BatchQueue {
 public:
  explicit BatchQueue(std::size_t limit, int writers) : limit_(limit), writers_(writers) {}
  void push(Batch b) {
    std::unique_lock<std::mutex> lock(m_);
    room_.wait(lock, [&] { return q_.size() < limit_; });
    q_.push_back(std::move(b));
    data_.notify_one();
  }
  void done() {
    std::lock_guard<std::mutex> lock(m_);
    --writers_;
    data_.notify_one();
  }
  bool pop(Batch& b) {
    std::unique_lock<std::mutex> lock(m_);
    data_.wait(lock, [&] { return !q_.empty() || writers_ == 0; });
    if (q_.empty()) return false;
    b = std::move(q_.front());
    q_.pop_front();
    room_.notify_one();
    return true;
  }

 private:
  std::mutex m_;
  std::condition_variable room_, data_;
  std::deque<Batch> q_;
  std::size_t limit_;
  int writers_;
};

struct PileUp {
  explicit PileUp(std::size_t n) : depth(n, 0), strand(n, 0) {}
  void add(const Batch& b) {
    for (std::uint32_t code : b) {
      const std::uint32_t pos = code >> 1;
      depth[pos] += 1;
      strand[pos] = static_cast<std::uint16_t>(strand[pos] + (code & 1));
    }
  }
  std::vector<std::uint32_t> depth;
  std::vector<std::uint16_t> strand;
};

constexpr std::uint32_t kGenome = 6u << 20;
constexpr int kJobs = 1600, kBatch = 2500;

// A job's positions depend on its number only, so any thread may decode it.
static Batch decode(int job) {
  Batch out;
  out.reserve(kBatch);
  std::uint32_t r = 1 + static_cast<std::uint32_t>(job) * 2654435761u;
  std::uint32_t pos = r % kGenome;
  for (int i = 0; i < kBatch; ++i) {
    for (int k = 0; k < 3; ++k) r ^= r << 13, r ^= r >> 17, r ^= r << 5;
    pos = (i & 15) ? pos + r % 97 : r;
    out.push_back((pos % kGenome) << 1 | (r >> 31));
  }
  return out;
}

int main(int argc, char** argv) {
  const char* env = std::getenv("OMP_NUM_THREADS");
  int nt = argc > 1 ? std::atoi(argv[1]) : env ? std::atoi(env) : 8;
  if (nt < 2) nt = 8;
  const int callers = nt - 1;

  PileUp pile(kGenome);
  BatchQueue queue(32, callers);
  std::vector<std::thread> team;
  for (int t = 0; t < callers; ++t)
    team.emplace_back([&, t] {
      for (int job = t; job < kJobs; job += callers) queue.push(decode(job));
      queue.done();
    });

  Batch b;
  while (queue.pop(b)) pile.add(b);
  for (auto& th : team) th.join();

  std::uint64_t sum = 0, deep = 0;
  for (std::uint32_t p = 0; p < kGenome; ++p) {
    sum += static_cast<std::uint64_t>(pile.depth[p]) * (p % 1009) + pile.strand[p];
    deep += pile.depth[p] > 3;
  }
  std::printf("checksum %llu\n", static_cast<unsigned long long>(sum * 7 + deep));
  return 0;
}
