// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: main builds a graph; threads pull along their vertices' edges in order, sources' shares at random
// fix: parts, spread
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Graph {
    std::vector<uint32_t> first;       // of each vertex's incoming edges
    std::vector<uint32_t> source;      // of each edge
    std::vector<uint32_t> out_degree;  // of each vertex
    uint32_t vertices() const { return (uint32_t)out_degree.size(); }
};

static Graph generate(uint32_t vertices)
{
    Graph g;
    uint64_t state = 42;
    g.first.resize(vertices + 1);
    g.out_degree.assign(vertices, 1);
    for (uint32_t v = 0; v < vertices; v++)
        g.first[v + 1] = g.first[v] + 3 + (v * 2654435761u >> 24) % 6;
    g.source.resize(g.first[vertices]);
    for (uint32_t &from : g.source) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        from = (uint32_t)((state >> 32) * vertices >> 32);
        g.out_degree[from]++;
    }
    return g;
}

class Barrier {
public:
    explicit Barrier(int count) : count_(count) {}
    void wait()
    {
        std::unique_lock<std::mutex> hold(mutex_);
        int turn = turn_;
        if (++waiting_ == count_) {
            waiting_ = 0;
            turn_++;
            all_here_.notify_all();
        } else
            all_here_.wait(hold, [&] { return turn != turn_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable all_here_;
    int count_, waiting_ = 0, turn_ = 0;
};

static void pull(const Graph &g, double *rank, double *share, uint32_t from, uint32_t to, Barrier &barrier)
{
    for (int iteration = 0; iteration < 7; iteration++) {
        for (uint32_t v = from; v < to; v++)
            share[v] = rank[v] / g.out_degree[v];
        barrier.wait();
        for (uint32_t v = from; v < to; v++) {
            double sum = 0;
            for (uint32_t e = g.first[v]; e < g.first[v + 1]; e++)
                sum += share[g.source[e]];
            rank[v] = 0.15 + 0.85 * sum;
        }
        barrier.wait();
    }
}

int main()
{
    const int threads = 8;
    Graph g = generate(320000);
    const uint32_t n = g.vertices();
    std::vector<double> rank(n, 1.0), share(n);
    Barrier barrier(threads);
    std::vector<std::thread> team;
    for (int t = 0; t < threads; t++)
        team.emplace_back([&, t] {
            uint32_t from = n / threads * t, to = n / threads * (t + 1);
            pull(g, rank.data(), share.data(), from, to, barrier);
        });
    for (auto &one : team)
        one.join();
    double largest = 0;
    for (double each : rank)
        largest = each > largest ? each : largest;
    std::printf("%u vertices, %zu edges, largest %.6f, %.6f\n", n, g.source.size(), largest, rank[12345]);
}
