// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: a factory returns a structure of four arrays of tracks by value, another the map of a magnet, both set by main; each std::thread moves a view of the same tracks in every step, each reads the map anywhere
// fix: parts, spread
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

template <typename T> class View {
public:
    View(T *begin, std::size_t length) : first(begin), count(length) {}
    View part(std::size_t from, std::size_t to) const { return View(first + from, to - from); }
    T &operator[](std::size_t i) const { return first[i]; }
    std::size_t size() const { return count; }

private:
    T *first;
    std::size_t count;
};

struct Tracks {
    std::size_t count;
    std::unique_ptr<double[]> x, y, px, py;
};

struct Magnet {
    static constexpr std::size_t side = 1024;
    std::unique_ptr<double[]> strength;
    View<const double> view() const { return {strength.get(), side * side}; }
};

static Tracks make_tracks(std::size_t count)
{
    auto array = [count] { return std::unique_ptr<double[]>(new double[count]); };
    Tracks made{count, array(), array(), array(), array()};
    std::uint64_t state = 41;
    auto random = [&state] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state >> 40) / (1 << 24);
    };
    for (std::size_t i = 0; i < count; i++) {
        made.x[i] = random();
        made.y[i] = random();
        made.px[i] = random() - 0.5;
        made.py[i] = random() - 0.5;
    }
    return made;
}

static Magnet make_magnet()
{
    Magnet made{std::make_unique<double[]>(Magnet::side * Magnet::side)};
    for (std::size_t i = 0; i < Magnet::side; i++)
        for (std::size_t j = 0; j < Magnet::side; j++)
            made.strength[i * Magnet::side + j] = 0.3 + static_cast<double>((i * i + 3 * j) % 255) / 512;
    return made;
}

static double wrap(double x)
{
    return x < 0 ? x + 1 : x >= 1 ? x - 1 : x;
}

static void move(View<double> x, View<double> y, View<double> px, View<double> py, View<const double> field)
{
    for (std::size_t i = 0; i < x.size(); i++) {
        const auto row = static_cast<std::size_t>(x[i] * Magnet::side) % Magnet::side;
        const auto column = static_cast<std::size_t>(y[i] * Magnet::side) % Magnet::side;
        const double turn = 0.1 * field[row * Magnet::side + column], before = px[i];
        px[i] += turn * py[i];
        py[i] -= turn * before;
        x[i] = wrap(x[i] + 0.5 * px[i]);
        y[i] = wrap(y[i] + 0.5 * py[i]);
    }
}

int main()
{
    constexpr std::size_t team = 8;
    constexpr int steps = 6;
    Tracks tracks = make_tracks(240000);
    const Magnet magnet = make_magnet();
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < team; t++)
        threads.emplace_back([&tracks, &magnet, t] {
            const std::size_t from = t * tracks.count / team, to = (t + 1) * tracks.count / team;
            auto mine = [&](std::unique_ptr<double[]> &all) { return View<double>(all.get(), tracks.count).part(from, to); };
            for (int step = 0; step < steps; step++)
                move(mine(tracks.x), mine(tracks.y), mine(tracks.px), mine(tracks.py), magnet.view());
        });
    for (std::thread &thread : threads)
        thread.join();
    double sum = 0;
    for (std::size_t i = 0; i < tracks.count; i += 17)
        sum += tracks.x[i] + 2 * tracks.y[i] + tracks.px[i] * tracks.py[i];
    std::printf("%.6f\n", sum);
}
