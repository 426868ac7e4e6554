// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: members_ (growing vector, 5 MiB at the end) is written first by main through push_back, then each of 8 std::async workers integrates its own block of members for all steps
// fix: parts
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <future>
#include <vector>

// Ensemble of Lorenz-96 models, as used to test data assimilation.

constexpr int kSites = 40;
using State = std::array<double, kSites>;

struct Member {
    State x;
};

static State tendency(const State &x)
{
    constexpr double forcing = 8.0;
    State d;
    for (int i = 2; i < kSites - 1; i++)
        d[i] = (x[i + 1] - x[i - 2]) * x[i - 1] - x[i] + forcing;
    d[0] = (x[1] - x[kSites - 2]) * x[kSites - 1] - x[0] + forcing;
    d[1] = (x[2] - x[kSites - 1]) * x[0] - x[1] + forcing;
    d[kSites - 1] = (x[0] - x[kSites - 3]) * x[kSites - 2] - x[kSites - 1] + forcing;
    return d;
}

class Ensemble {
public:
    explicit Ensemble(int n)
    {
        Member base;
        base.x.fill(8.0);
        for (int m = 0; m < n; m++) {
            Member p = base;
            for (int i = 0; i < kSites; i++)
                p.x[i] += 0.01 * std::sin(0.37 * m + 1.3 * i);
            members_.push_back(p);
        }
    }

    std::size_t size() const { return members_.size(); }

    // integrate members [lo,hi) over all steps; returns the sum of their mean states
    double integrate(std::size_t lo, std::size_t hi, int steps, double dt)
    {
        for (int s = 0; s < steps; s++)
            for (std::size_t m = lo; m < hi; m++)
                midpoint(members_[m].x, dt);
        double sum = 0.0;
        for (std::size_t m = lo; m < hi; m++)
            for (double v : members_[m].x)
                sum += v;
        return sum / kSites;
    }

private:
    static void midpoint(State &x, double dt)
    {
        State h = tendency(x);
        for (int i = 0; i < kSites; i++)
            h[i] = x[i] + 0.5 * dt * h[i];
        const State k = tendency(h);
        for (int i = 0; i < kSites; i++)
            x[i] += dt * k[i];
    }

    std::vector<Member> members_;
};

int main()
{
    constexpr int workers = 8, steps = 10;
    Ensemble ens(16384);

    std::vector<std::future<double>> parts;
    for (int w = 0; w < workers; w++) {
        const std::size_t lo = ens.size() * w / workers;
        const std::size_t hi = ens.size() * (w + 1) / workers;
        parts.push_back(std::async(std::launch::async, [&ens, lo, hi] { return ens.integrate(lo, hi, steps, 0.01); }));
    }
    double sum = 0.0;
    for (auto &p : parts)
        sum += p.get();
    std::printf("ensemble mean %.10f\n", sum / static_cast<double>(ens.size()));
    return 0;
}
