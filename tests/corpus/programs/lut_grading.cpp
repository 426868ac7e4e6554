// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fourth
// truth: colour grading: the constructor of Cube, in main, writes a table of 80 x 80 x 80 colours first (a std::vector of 16 bytes each, 7.8 MiB: cells_.reserve and emplace_back); std::packaged_task tiles go to whichever of eight pool threads is free, and each pixel interpolates in the table at a colour that may be any: it is read by all, everywhere, and written no more; the frame (0.75 MiB) stays in caches; half of the requests are remote; a copy of the table for each node would take nearly all of them away, interleaving takes none but the load off one controller
// fix: spread
#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

struct Colour {
    float r = 0, g = 0, b = 0, alpha = 1;
    Colour() = default;
    Colour(float red, float green, float blue) : r(red), g(green), b(blue) {}
};

static Colour mix(const Colour &a, const Colour &b, float t)
{
    return {a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

class Cube {
public:
    explicit Cube(int size) : size_(size)
    {
        cells_.reserve(static_cast<std::size_t>(size) * size * size);
        for (int r = 0; r < size; r++)
            for (int g = 0; g < size; g++)
                for (int b = 0; b < size; b++)
                    cells_.emplace_back(film(r, 0.9f), film(g, 1.0f), film(b, 1.15f));
    }

    Colour at(float r, float g, float b) const
    {
        const auto [i, x] = split(r);
        const auto [j, y] = split(g);
        const auto [k, z] = split(b);
        std::array<Colour, 2> planes;
        for (int d = 0; d < 2; d++)
            planes[d] = mix(mix(cell(i + d, j, k), cell(i + d, j, k + 1), z),
                            mix(cell(i + d, j + 1, k), cell(i + d, j + 1, k + 1), z), y);
        return mix(planes[0], planes[1], x);
    }

private:
    float film(int step, float gamma) const
    {
        const float v = std::pow(static_cast<float>(step) / static_cast<float>(size_ - 1), gamma);
        return v * v * (3 - 2 * v);
    }
    std::pair<int, float> split(float v) const
    {
        const float at = v * static_cast<float>(size_ - 1);
        const int low = std::min(static_cast<int>(at), size_ - 2);
        return {low, at - static_cast<float>(low)};
    }
    const Colour &cell(int r, int g, int b) const
    {
        return cells_[(static_cast<std::size_t>(r) * size_ + g) * size_ + b];
    }

    int size_;
    std::vector<Colour> cells_;
};

class Pool {
public:
    explicit Pool(unsigned count)
    {
        for (unsigned i = 0; i < count; i++)
            threads_.emplace_back(&Pool::work, this);
    }
    ~Pool()
    {
        {
            std::lock_guard lock(mutex_);
            closed_ = true;
        }
        ready_.notify_all();
        for (std::thread &thread : threads_)
            thread.join();
    }
    template <class Function> std::future<double> submit(Function function)
    {
        std::packaged_task<double()> task(std::move(function));
        std::future<double> result = task.get_future();
        {
            std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        ready_.notify_one();
        return result;
    }

private:
    void work()
    {
        for (;;) {
            std::unique_lock lock(mutex_);
            ready_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
            if (tasks_.empty())
                return;
            std::packaged_task<double()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
        }
    }
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<std::packaged_task<double()>> tasks_;
    bool closed_ = false;
    std::vector<std::thread> threads_;
};

using Frame = std::vector<std::uint32_t>; // ten bits for each of red, green, blue

static double grade(const Cube &cube, std::uint32_t *pixel, std::size_t count)
{
    double light = 0;
    for (std::uint32_t *end = pixel + count; pixel != end; pixel++) {
        const auto part = [&](int shift) { return static_cast<float>(*pixel >> shift & 1023) / 1023; };
        const Colour c = cube.at(part(20), part(10), part(0));
        const auto bits = [](float v) { return static_cast<std::uint32_t>(v * 1023 + 0.5f); };
        *pixel = bits(c.r) << 20 | bits(c.g) << 10 | bits(c.b);
        light += 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
    }
    return light;
}

int main()
{
    const Cube cube(80);
    Pool pool(8);
    Frame frame(512 * 384);
    std::uint32_t grain = 1;
    double light = 0;
    for (int shot = 0; shot < 6; shot++) {
        for (std::uint32_t &pixel : frame) {
            grain ^= grain << 13;
            grain ^= grain >> 17;
            grain ^= grain << 5;
            pixel = grain & 0x3fffffff;
        }
        std::vector<std::future<double>> tiles;
        for (std::size_t first = 0; first < frame.size(); first += 4096)
            tiles.push_back(pool.submit([&cube, &frame, first] { return grade(cube, &frame[first], 4096); }));
        for (auto &tile : tiles)
            light += tile.get();
    }
    std::printf("mean light %.6f\n", light / (6.0 * static_cast<double>(frame.size())));
}
