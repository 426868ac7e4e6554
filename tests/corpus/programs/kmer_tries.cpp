// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: main builds 16 tries in turns in slabs of 160 KiB; each trie is read by one thread alone
// fix: parts
// Spell checking of k-mers: the dictionary is split by the first two bases into
// 16 tries, each with a node arena of its own; a thread serves whole tries.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr int kDepth = 11;

struct Node {
  std::array<std::uint32_t, 4> child{};
  std::uint32_t count = 0;
};

// Arena in slabs, so that nodes never move while the trie grows.
class NodeArena {
  static constexpr std::size_t kSlab = 1u << 13;

 public:
  std::uint32_t make() {
    if (used_ == slabs_.size() * kSlab)
      slabs_.push_back(std::unique_ptr<Node[]>(new Node[kSlab]));
    return static_cast<std::uint32_t>(used_++);
  }
  Node& at(std::uint32_t i) { return slabs_[i / kSlab][i % kSlab]; }
  const Node& at(std::uint32_t i) const { return slabs_[i / kSlab][i % kSlab]; }

 private:
  std::vector<std::unique_ptr<Node[]>> slabs_;
  std::size_t used_ = 0;
};

class Trie {
 public:
  Trie() { root_ = arena_.make(); }
  void insert(std::uint32_t word) {
    std::uint32_t n = root_;
    for (int d = 0; d < kDepth; ++d, word >>= 2) {
      std::uint32_t c = arena_.at(n).child[word & 3];
      if (c == 0) {
        c = arena_.make();
        arena_.at(n).child[word & 3] = c;
      }
      n = c;
    }
    arena_.at(n).count++;
  }
  // length of the longest known prefix, and the count if the word is complete
  std::uint32_t look(std::uint32_t word) const {
    std::uint32_t n = root_;
    for (int d = 0; d < kDepth; ++d, word >>= 2) {
      const std::uint32_t c = arena_.at(n).child[word & 3];
      if (c == 0) return static_cast<std::uint32_t>(d);
      n = c;
    }
    return 64 + arena_.at(n).count;
  }

 private:
  NodeArena arena_;
  std::uint32_t root_;
};

std::uint64_t step(std::uint64_t& s) {
  s ^= s << 13;
  s ^= s >> 7;
  s ^= s << 17;
  return s;
}

std::uint64_t serve(const Trie& trie, std::uint64_t seed, int queries) {
  std::uint64_t s = seed * 2654435761u + 7, sum = 0;
  for (int q = 0; q < queries; ++q)
    sum += trie.look(static_cast<std::uint32_t>(step(s) >> 20));
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const char* env = std::getenv("OMP_NUM_THREADS");
  int nt = argc > 1 ? std::atoi(argv[1]) : env ? std::atoi(env) : 8;
  if (nt < 1) nt = 8;

  constexpr int kParts = 16, kWords = 30000, kQueries = 120000;
  std::vector<Trie> tries(kParts);
  std::uint64_t s = 0x1234567ull;
  for (int w = 0; w < kWords; ++w)
    for (Trie& t : tries) t.insert(static_cast<std::uint32_t>(step(s) >> 24));

  std::array<std::uint64_t, kParts> sums{};
  std::vector<std::thread> team;
  for (int t = 0; t < nt; ++t)
    team.emplace_back([&, t] {
      for (int p = t * kParts / nt; p < (t + 1) * kParts / nt; ++p)
        sums[p] = serve(tries[p], p + 1u, kQueries);
    });
  for (auto& th : team) th.join();

  std::uint64_t sum = 0;
  for (auto v : sums) sum = sum * 131 + v;
  std::printf("checksum %llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
