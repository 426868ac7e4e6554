// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: the likelihood vectors of the 63 tree nodes (500 KiB each, 30.8 MiB in all, vector of vectors) are written first by main (constructor, tips), then each std::thread uses only its own range of sites in every node, for all 48 rate settings
// fix: parts
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

// Felsenstein pruning on a balanced tree, Jukes-Cantor model with several rates.

constexpr int kTips = 32, kNodes = 2 * kTips - 1, kSites = 16000, kRates = 48;

constexpr double kTiny = 1e-8;

using States = std::array<double, 4>;

struct Transition {
    double same, other;
};

class Tree {
public:
    Tree() : clv_(kNodes, std::vector<States>(kSites)), site_score_(kSites, 0.0), scale_(kSites, 0) { read_alignment(); }

    void evaluate(int worker, int workers)
    {
        const int lo = kSites * worker / workers, hi = kSites * (worker + 1) / workers;
        for (int r = 0; r < kRates; r++) {
            for (int node = kTips; node < kNodes; node++)
                combine(node, 0.25 + 0.05 * r, lo, hi);
            for (int s = lo; s < hi; s++) {
                const States &root = clv_[kNodes - 1][s];
                site_score_[s] += std::log(0.25 * (root[0] + root[1] + root[2] + root[3]));
            }
        }
    }

    double total() const
    {
        double sum = 0.0;
        for (double s : site_score_)
            sum += s;
        for (int n : scale_)
            sum += n * std::log(kTiny);
        return sum / kRates;
    }

private:
    void read_alignment()
    {
        std::uint32_t rnd = 2463534242u;
        for (int s = 0; s < kSites; s++) {
            rnd = rnd * 1664525u + 1013904223u;
            const unsigned ancestral = rnd >> 30;
            for (int t = 0; t < kTips; t++) {
                rnd = rnd * 1664525u + 1013904223u;
                const unsigned base = (rnd >> 24) < 40 ? (rnd >> 20) & 3u : ancestral;
                clv_[t][s] = {0.0, 0.0, 0.0, 0.0};
                clv_[t][s][base] = 1.0;
            }
        }
    }

    static Transition transition(double length)
    {
        const double e = std::exp(-4.0 / 3.0 * length);
        return {0.25 + 0.75 * e, 0.25 - 0.25 * e};
    }

    // children of inner node i are 2 (i - kTips) and the one after it
    void combine(int node, double rate, int lo, int hi)
    {
        const int a = 2 * (node - kTips), b = a + 1;
        const Transition ta = transition(rate * (0.02 + 0.001 * a)), tb = transition(rate * (0.02 + 0.001 * b));
        const std::vector<States> &left = clv_[a], &right = clv_[b];
        std::vector<States> &out = clv_[node];
        for (int s = lo; s < hi; s++) {
            States v;
            for (int i = 0; i < 4; i++) {
                double x = 0.0, y = 0.0;
                for (int j = 0; j < 4; j++) {
                    x += (i == j ? ta.same : ta.other) * left[s][j];
                    y += (i == j ? tb.same : tb.other) * right[s][j];
                }
                v[i] = x * y;
            }
            const double top = std::max(std::max(v[0], v[1]), std::max(v[2], v[3]));
            if (top < kTiny) {
                for (double &x : v)
                    x *= 1.0 / kTiny;
                scale_[s]++;
            }
            out[s] = v;
        }
    }

    std::vector<std::vector<States>> clv_;
    std::vector<double> site_score_;
    std::vector<int> scale_; // how often a site was scaled up
};

int main(int argc, char **argv)
{
    const int workers = argc > 1 ? std::atoi(argv[1]) : 8;
    Tree tree;
    std::vector<std::thread> pool;
    for (int w = 0; w < workers; w++)
        pool.emplace_back(&Tree::evaluate, std::ref(tree), w, workers);
    for (std::thread &t : pool)
        t.join();
    std::printf("mean log likelihood %.6f\n", tree.total());
}
