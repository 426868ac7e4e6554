// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: two unique_ptr arrays filled by main, their pointers swap after each sweep; std::threads own rows
// fix: parts
#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

struct Grid {
    int rows, columns;
    std::unique_ptr<double[]> now, next;

    Grid(int r, int c) : rows(r), columns(c)
    {
        now.reset(new double[(size_t)rows * columns]);
        next.reset(new double[(size_t)rows * columns]);
        std::fill(now.get(), now.get() + (size_t)rows * columns, 0.0);
        std::fill(next.get(), next.get() + (size_t)rows * columns, 0.0);
        for (int j = 0; j < columns; j++)
            now[j] = next[j] = 100.0;
    }
};

static pthread_barrier_t barrier;

static void sweep(Grid &grid, int first, int last)
{
    const double *now = grid.now.get();
    double *next = grid.next.get();
    const size_t w = grid.columns;
    for (size_t i = first; i < (size_t)last; i++)
        for (size_t j = 1; j + 1 < w; j++)
            next[i * w + j] =
                0.25 * (now[(i - 1) * w + j] + now[(i + 1) * w + j] + now[i * w + j - 1] + now[i * w + j + 1]);
}

int main()
{
    const int threads = 8, sweeps = 14;
    Grid grid(802, 512);
    pthread_barrier_init(&barrier, nullptr, threads);
    std::vector<std::thread> team;
    for (int t = 0; t < threads; t++)
        team.emplace_back([&grid, t] {
            const int each = (grid.rows - 2) / threads;
            for (int s = 0; s < sweeps; s++) {
                sweep(grid, 1 + t * each, 1 + (t + 1) * each);
                pthread_barrier_wait(&barrier);
                if (t == 0)
                    std::swap(grid.now, grid.next);
                pthread_barrier_wait(&barrier);
            }
        });
    for (std::thread &one : team)
        one.join();
    std::printf("%.10f\n", grid.now[5 * 512 + 7]);
}
