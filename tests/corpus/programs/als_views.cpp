// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: main writes all first (vector constructors, transpose); byUser and byItem (7.6 MiB of entries each) are then used by blocks of rows per std::thread, while the factors U (2.4 MiB) and V (1.8 MiB) are gathered at random by all threads (64 of every 72 bytes of traffic)
// fix: parts, spread
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// Matrix factorisation for recommendations: alternating gradient steps.

constexpr int kUsers = 40000, kItems = 30000, kRank = 16, kRatings = 1000000, kSweeps = 25;

class Barrier {
public:
    explicit Barrier(int n) : size_(n), left_(n) {}
    void wait()
    {
        std::unique_lock<std::mutex> lk(m_);
        const unsigned g = gen_;
        if (--left_ == 0) {
            left_ = size_;
            gen_++;
            cv_.notify_all();
        } else {
            cv_.wait(lk, [&] { return g != gen_; });
        }
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    int size_, left_;
    unsigned gen_ = 0;
};

using Factor = std::array<float, kRank>;

struct Entry {
    std::int32_t col;
    float rating;
};

struct Ratings {
    std::vector<int> start;
    std::vector<Entry> entry;
    Ratings(int rows, std::size_t n) : start(rows + 1), entry(n) {}
};

static Ratings draw()
{
    Ratings r(kUsers, kRatings);
    std::uint32_t s = 12345;
    const int per = kRatings / kUsers;
    for (int u = 0; u < kUsers; u++) {
        r.start[u + 1] = (u + 1) * per;
        for (int k = u * per; k < (u + 1) * per; k++) {
            s = s * 1664525u + 1013904223u;
            const int item = int((s >> 8) % kItems);
            r.entry[k] = {item, 1.0f + float((u * 3 + item * 7 + (s >> 28)) % 9) * 0.5f};
        }
    }
    return r;
}

static Ratings transpose(const Ratings &a, int cols)
{
    Ratings t(cols, a.entry.size());
    for (const Entry &e : a.entry)
        t.start[e.col + 1]++;
    for (int c = 0; c < cols; c++)
        t.start[c + 1] += t.start[c];
    std::vector<int> at(t.start.begin(), t.start.end() - 1);
    for (int r = 0; r + 1 < int(a.start.size()); r++)
        for (int k = a.start[r]; k < a.start[r + 1]; k++)
            t.entry[at[a.entry[k].col]++] = {r, a.entry[k].rating};
    return t;
}

static void improve(const Ratings &r, std::vector<Factor> &mine, const std::vector<Factor> &other, int lo, int hi)
{
    for (int i = lo; i < hi; i++) {
        Factor grad{};
        const Factor x = mine[i];
        for (int k = r.start[i]; k < r.start[i + 1]; k++) {
            const Factor &y = other[r.entry[k].col];
            float err = r.entry[k].rating;
            for (int f = 0; f < kRank; f++)
                err -= x[f] * y[f];
            for (int f = 0; f < kRank; f++)
                grad[f] += err * y[f];
        }
        for (int f = 0; f < kRank; f++)
            mine[i][f] = x[f] + 0.01f * (grad[f] - 0.1f * x[f]);
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 8;
    const Ratings byUser = draw(), byItem = transpose(byUser, kItems);
    std::vector<Factor> U(kUsers), V(kItems);
    for (int i = 0; i < kUsers * kRank; i++)
        U[i / kRank][i % kRank] = 0.3f + 0.01f * float(i % 23);
    for (int i = 0; i < kItems * kRank; i++)
        V[i / kRank][i % kRank] = 0.3f + 0.01f * float(i % 19);

    Barrier barrier(n);
    std::vector<std::thread> team;
    for (int t = 0; t < n; t++)
        team.emplace_back([&, t] {
            for (int s = 0; s < kSweeps; s++) {
                improve(byUser, U, V, kUsers * t / n, kUsers * (t + 1) / n);
                barrier.wait();
                improve(byItem, V, U, kItems * t / n, kItems * (t + 1) / n);
                barrier.wait();
            }
        });
    for (auto &t : team)
        t.join();

    double sse = 0.0;
    for (int u = 0; u < kUsers; u++)
        for (int k = byUser.start[u]; k < byUser.start[u + 1]; k++) {
            double e = byUser.entry[k].rating;
            for (int f = 0; f < kRank; f++)
                e -= U[u][f] * V[byUser.entry[k].col][f];
            sse += e * e;
        }
    std::printf("mean squared error %.5f\n", sse / kRatings);
}
