// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: bricks with ghost rows, each with two unique_ptr<double[]> that main makes; std::threads take every eighth brick
// fix: parts
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

class Barrier {
public:
    explicit Barrier(int n) : count(n), waiting(0), phase(0) {}
    void wait()
    {
        std::unique_lock<std::mutex> hold(lock);
        int mine = phase;
        if (++waiting == count) {
            waiting = 0;
            phase++;
            all.notify_all();
        } else {
            all.wait(hold, [&] { return phase != mine; });
        }
    }

private:
    std::mutex lock;
    std::condition_variable all;
    int count, waiting, phase;
};

class Brick {
public:
    Brick(size_t w, size_t h, double start)
        : width(w), height(h), cells(std::make_unique<double[]>(w * (h + 2))), next(new double[w * (h + 2)])
    {
        for (size_t y = 0; y < height + 2; y++)
            for (size_t x = 0; x < width; x++)
                at(x, y) = start + double(x % 3);
    }
    double &at(size_t x, size_t y) { return cells[y * width + x]; }
    void copy_ghosts(Brick *above, Brick *below)
    {
        for (size_t x = 0; x < width; x++) {
            at(x, 0) = above ? above->at(x, height) : at(x, 1);
            at(x, height + 1) = below ? below->at(x, 1) : at(x, height);
        }
    }
    void relax()
    {
        for (size_t y = 1; y <= height; y++) {
            next[y * width] = at(0, y);
            next[y * width + width - 1] = at(width - 1, y);
            for (size_t x = 1; x + 1 < width; x++)
                next[y * width + x] = 0.25 * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
        }
    }
    void flip() { std::swap(cells, next); }

private:
    size_t width, height;
    std::unique_ptr<double[]> cells, next;
};

int main()
{
    const size_t threads = 8, count = 24;
    std::vector<std::unique_ptr<Brick>> bricks;
    for (size_t b = 0; b < count; b++)
        bricks.push_back(std::make_unique<Brick>(256, 128, double(b)));
    Barrier barrier(threads);
    std::vector<std::thread> team;
    for (size_t t = 0; t < threads; t++)
        team.emplace_back([&, t] {
            for (int step = 0; step < 8; step++) {
                for (size_t b = t; b < count; b += threads)
                    bricks[b]->copy_ghosts(b ? bricks[b - 1].get() : nullptr,
                                           b + 1 < count ? bricks[b + 1].get() : nullptr);
                barrier.wait();
                for (size_t b = t; b < count; b += threads)
                    bricks[b]->relax();
                barrier.wait();
                for (size_t b = t; b < count; b += threads)
                    bricks[b]->flip();
                barrier.wait();
            }
        });
    for (auto &thread : team)
        thread.join();
    std::printf("%.6f\n", bricks[5]->at(100, 100));
}
