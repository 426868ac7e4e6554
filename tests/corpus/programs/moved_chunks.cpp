// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: each thread makes and fills a chunk of aligned cells in a class that can only be moved, and moves it into main's vector; afterwards it works on that chunk and reads an edge of a neighbour's: nothing to gain
// fix: none
#include <algorithm>
#include <cstdio>
#include <new>
#include <omp.h>
#include <utility>
#include <vector>

struct alignas(64) Cell {
    double density, momentum, energy, flux[3];
};

class Chunk {
public:
    Chunk() = default;
    explicit Chunk(std::size_t count) : cells(new Cell[count]), count(count) {}
    Chunk(const Chunk &) = delete;
    Chunk &operator=(const Chunk &) = delete;
    Chunk(Chunk &&other) noexcept { swap(other); }

    Chunk &operator=(Chunk &&other) noexcept
    {
        swap(other);
        return *this;
    }

    ~Chunk() { delete[] cells; }

    Cell *begin() { return cells; }
    Cell *end() { return cells + count; }
    const Cell *begin() const { return cells; }
    const Cell *end() const { return cells + count; }
    const Cell &back() const { return cells[count - 1]; }

private:
    void swap(Chunk &other) noexcept
    {
        std::swap(cells, other.cells);
        std::swap(count, other.count);
    }

    Cell *cells = nullptr;
    std::size_t count = 0;
};

static Chunk make(std::size_t first, std::size_t count)
{
    Chunk made(count);
    for (Cell &cell : made) {
        const double x = static_cast<double>(first++ % 4096) / 4096;
        cell = Cell{1 + x * (1 - x), 0.1 * x, 2.5, {0, 0, 0}};
    }
    return made;
}

static void fluxes(Chunk &chunk)
{
    for (Cell &cell : chunk) {
        const double speed = cell.momentum / cell.density, pressure = 0.4 * (cell.energy - 0.5 * speed * cell.momentum);
        cell.flux[0] = cell.momentum;
        cell.flux[1] = cell.momentum * speed + pressure;
        cell.flux[2] = (cell.energy + pressure) * speed;
    }
}

static void update(Chunk &chunk, const Cell &before)
{
    double left[3];
    std::copy(before.flux, before.flux + 3, left);
    for (Cell &cell : chunk) {
        cell.density -= 0.01 * (cell.flux[0] - left[0]);
        cell.momentum -= 0.01 * (cell.flux[1] - left[1]);
        cell.energy -= 0.01 * (cell.flux[2] - left[2]);
        std::copy(cell.flux, cell.flux + 3, left);
    }
}

int main()
{
    constexpr std::size_t per_chunk = 24000;
    constexpr int parts = 8;
    std::vector<Chunk> chunks(parts);
#pragma omp parallel num_threads(parts)
    {
        const int me = omp_get_thread_num();
        chunks[me] = make(me * per_chunk, per_chunk);
    }
    for (int step = 0; step < 12; step++) {
#pragma omp parallel num_threads(parts)
        fluxes(chunks[omp_get_thread_num()]);
#pragma omp parallel num_threads(parts)
        {
            const int me = omp_get_thread_num();
            update(chunks[me], chunks[(me + parts - 1) % parts].back());
        }
    }
    double mass = 0;
    for (const Chunk &chunk : chunks)
        mass += chunk.begin()->density + chunk.back().energy;
    std::printf("%.9f\n", mass);
}
