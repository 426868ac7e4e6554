// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// with: fluid.h fluid_setup.cpp
// truth: smoothed particles as PARSEC's fluidanimate: cells of a posix_memalign that main sets in another file; threads have layers
// fix: parts
#include "fluid.h"

#include <cstdio>
#include <pthread.h>

constexpr int THREADS = 8, STEPS = 6;

// A barrier of the program's own.
struct Barrier {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
    int waiting = 0;
    unsigned round = 0;

    void wait()
    {
        pthread_mutex_lock(&lock);
        unsigned mine = round;
        if (++waiting == THREADS) {
            waiting = 0;
            round++;
            pthread_cond_broadcast(&all_here);
        } else {
            while (mine == round)
                pthread_cond_wait(&all_here, &lock);
        }
        pthread_mutex_unlock(&lock);
    }
};

static Cell *cells;
static Barrier barrier;

static void densities(Cell &cell, const Cell &other)
{
    for (int i = 0; i < cell.count; i++)
        for (int j = 0; j < other.count; j += 3) {
            float dx = cell.p[i].x - other.p[j].x, dy = cell.p[i].y - other.p[j].y;
            float d = dx * dx + dy * dy;
            cell.density[i] += d < 0.25f ? 0.25f - d : 0.0f;
        }
}

static void *work(void *argument)
{
    int tid = static_cast<int>(reinterpret_cast<size_t>(argument));
    int first = NZ * tid / THREADS, last = NZ * (tid + 1) / THREADS;
    for (int step = 0; step < STEPS; step++) {
        for (int z = first; z < last; z++)
            for (int y = 0; y < NY; y++)
                for (int x = 0; x < NX; x++) {
                    Cell &cell = cells[cell_index(x, y, z)];
                    for (int i = 0; i < cell.count; i++)
                        cell.density[i] = 0;
                    densities(cell, cell);
                    if (z > 0)
                        densities(cell, cells[cell_index(x, y, z - 1)]);
                    if (z < NZ - 1)
                        densities(cell, cells[cell_index(x, y, z + 1)]);
                }
        barrier.wait();
        for (int c = cell_index(0, 0, first); c < cell_index(0, 0, last); c++)
            for (int i = 0; i < cells[c].count; i++) {
                cells[c].a[i] = {0, -9.8f, cells[c].density[i]};
                cells[c].v[i].z += cells[c].a[i].z * 1e-4f;
                cells[c].v[i].y += cells[c].a[i].y * 1e-6f;
            }
        barrier.wait();
        for (int c = cell_index(0, 0, first); c < cell_index(0, 0, last); c++)
            for (int i = 0; i < cells[c].count; i++) {
                cells[c].p[i].y += cells[c].v[i].y * 1e-3f;
                cells[c].p[i].z += cells[c].v[i].z * 1e-3f;
            }
        barrier.wait();
    }
    return nullptr;
}

int main()
{
    cells = make_cells();
    fill_cells(cells);
    pthread_t threads[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&threads[t], nullptr, work, reinterpret_cast<void *>(t));
    for (pthread_t each : threads)
        pthread_join(each, nullptr);
    std::printf("%.5f %.5f\n", cells[1000].density[1], cells[20000].p[2].z);
}
