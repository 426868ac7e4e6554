// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, eighteenth
// truth: main only maps the archive of snapshots (24 MiB) and touches none of it; each replica is swept in caches by one std::thread, which stores its snapshots into its own eighth of the archive and alone compares them again; main samples one in 64 lines at the end
// fix: none
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <sys/mman.h>
#include <thread>
#include <vector>

// Replicas of a two-dimensional spin glass (Edwards-Anderson), and the overlaps of each with its own past.

template <typename T> struct Unmap {
    std::size_t bytes = 0;
    void operator()(T *p) const { munmap(p, bytes); }
};

template <typename T> using Mapped = std::unique_ptr<T[], Unmap<T>>;

template <typename T> Mapped<T> map(std::size_t count)
{
    std::size_t bytes = count * sizeof(T);
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        std::abort();
    return Mapped<T>(static_cast<T *>(p), Unmap<T>{bytes});
}

template <int Side> class Glass {
public:
    static constexpr int kSites = Side * Side;

    explicit Glass(std::uint32_t seed) : state_(seed * 2654435761u + 1)
    {
        for (int i = 0; i < kSites; i++)
            spin_[i] = random() & 1 ? 1 : -1, right_[i] = random() & 1 ? 1 : -1, down_[i] = random() & 1 ? 1 : -1;
    }
    void sweep(std::uint32_t threshold)
    {
        for (int y = 0; y < Side; y++)
            for (int x = 0; x < Side; x++) {
                int i = y * Side + x, left = y * Side + (x + Side - 1) % Side, up = (y + Side - 1) % Side * Side + x;
                int field = right_[i] * spin_[y * Side + (x + 1) % Side] + right_[left] * spin_[left] +
                            down_[i] * spin_[(y + 1) % Side * Side + x] + down_[up] * spin_[up];
                if (spin_[i] * field <= 0 || random() < threshold >> 2 * spin_[i] * field)
                    spin_[i] = -spin_[i];
            }
    }
    void store(std::int8_t *to) const { std::copy(spin_, spin_ + kSites, to); }

private:
    std::uint32_t random()
    {
        state_ ^= state_ << 13, state_ ^= state_ >> 17, state_ ^= state_ << 5;
        return state_ >> 4;
    }
    std::uint32_t state_;
    std::int8_t spin_[kSites], right_[kSites], down_[kSites];
};

constexpr int kSide = 64, kReplicas = 8, kSnapshots = 768;
using Replica = Glass<kSide>;
constexpr std::size_t kPart = std::size_t(kSnapshots) * Replica::kSites;

long overlap(const std::int8_t *a, const std::int8_t *b)
{
    int sum = 0;
    for (int i = 0; i < Replica::kSites; i++)
        sum += a[i] * b[i];
    return std::abs(sum);
}

long follow(int number, std::int8_t *past)
{
    Replica replica(number + 1);
    long sum = 0;
    for (int n = 0; n < kSnapshots; n++) {
        replica.sweep(1u << 27);
        replica.store(past + std::size_t(n) * Replica::kSites);
    }
    for (int lag = 1; lag < kSnapshots; lag += 64)
        for (int n = lag; n < kSnapshots; n++)
            sum += overlap(past + std::size_t(n) * Replica::kSites, past + std::size_t(n - lag) * Replica::kSites);
    return sum;
}

int main()
{
    Mapped<std::int8_t> archive = map<std::int8_t>(kReplicas * kPart);
    std::vector<long> overlaps(kReplicas);
    std::vector<std::thread> threads;
    for (int r = 0; r < kReplicas; r++)
        threads.emplace_back([&, r] { overlaps[r] = follow(r, archive.get() + r * kPart); });
    for (std::thread &each : threads)
        each.join();
    long magnet = 0;
    for (std::size_t i = 0; i < kReplicas * kPart; i += 4096)
        magnet += archive[i];
    std::printf("overlaps %ld first %ld magnet %ld\n", std::accumulate(overlaps.begin(), overlaps.end(), 0L),
                overlaps[0], magnet);
}
