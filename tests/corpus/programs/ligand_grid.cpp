// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, sixteenth
// truth: main computes the potential grid (15.6 MiB), read by all threads at random places, and draws the poses (14.6 MiB vector of structs), of which each std::thread updates its own range in every step; both lie on main's node
// fix: parts, spread
#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

// Docking by a swarm: poses of a ligand move through a precomputed potential of the receptor.

using Vec = std::array<double, 3>;

struct Pose {
    Vec centre, velocity, axis, best;
    std::array<double, 10> torsion;
    double energy, best_energy;
};

class Grid {
public:
    static constexpr int N = 160;

    explicit Grid(const std::vector<Vec> &sites) : value_(std::size_t(N) * N * N)
    {
        for (std::size_t at = 0; at < value_.size(); at++)
            for (const Vec &s : sites) {
                const float dx = float(at % N - s[0]), dy = float(at / N % N - s[1]), dz = float(at / N / N - s[2]);
                const float inv = 100.0f / (dx * dx + dy * dy + dz * dz + 4.0f);
                value_[at] += inv * inv - 2 * inv;
            }
    }

    double at(double px, double py, double pz) const
    {
        const int x = int(px), y = int(py), z = int(pz);
        const double fx = px - x, fy = py - y, fz = pz - z;
        const float *p = &value_[(std::size_t(z) * N + y) * N + x];
        const auto line = [fx](const float *q) { return q[0] + fx * (q[1] - q[0]); };
        const double a = line(p) + fy * (line(p + N) - line(p));
        const double b = line(p + N * N) + fy * (line(p + N * N + N) - line(p + N * N));
        return a + fz * (b - a);
    }

private:
    std::vector<float> value_;
};

static double inside(double v) { return std::min(std::max(v, 1.0), Grid::N - 2.5); }

static void advance(Pose &pose, const Grid &grid)
{
    for (int i = 0; i < 3; i++) {
        pose.velocity[i] = 0.9 * pose.velocity[i] + 0.05 * (pose.best[i] - pose.centre[i]) + 0.4 * pose.axis[i];
        pose.centre[i] = inside(pose.centre[i] + pose.velocity[i]);
    }
    double strain = 0;
    for (std::size_t i = 0; i < pose.torsion.size(); i++) {
        pose.torsion[i] += 0.02 * (pose.axis[i % 3] - pose.torsion[i]);
        strain += pose.torsion[i] * pose.torsion[i];
    }
    pose.energy = 0.1 * strain;
    for (double arm : {-9.0, 9.0})
        pose.energy += grid.at(inside(pose.centre[0] + arm * pose.axis[0]), inside(pose.centre[1] + arm * pose.axis[1]),
                               inside(pose.centre[2] + arm * pose.axis[2]));
    if (pose.energy < pose.best_energy) {
        pose.best_energy = pose.energy;
        pose.best = pose.centre;
    }
}

int main()
{
    constexpr std::size_t poses = 80000, threads = 8;
    constexpr int steps = 16;
    const Grid grid({{40, 50, 60}, {110, 40, 90}, {80, 120, 30}, {60, 90, 130}});
    std::mt19937 random(1127);
    const auto uniform = [&random] { return random() / 4294967296.0; };
    std::vector<Pose> swarm(poses);
    std::generate(swarm.begin(), swarm.end(), [&] {
        Pose pose{};
        for (int i = 0; i < 3; i++) {
            pose.centre[i] = pose.best[i] = 2 + uniform() * (Grid::N - 5);
            pose.axis[i] = 2 * uniform() - 1;
        }
        pose.torsion.fill(uniform());
        pose.best_energy = 1e30;
        return pose;
    });

    std::vector<std::thread> pool;
    for (std::size_t t = 0; t < threads; t++)
        pool.emplace_back([&swarm, &grid, t] {
            const auto first = swarm.begin() + poses * t / threads, last = swarm.begin() + poses * (t + 1) / threads;
            for (int step = 0; step < steps; step++)
                std::for_each(first, last, [&grid](Pose &pose) { advance(pose, grid); });
        });
    for (auto &thread : pool)
        thread.join();

    double lowest = 0, sum = 0;
    for (const Pose &pose : swarm) {
        lowest = std::min(lowest, pose.best_energy);
        sum += pose.best_energy;
    }
    std::printf("lowest %.4f mean %.4f\n", lowest, sum / poses);
}
