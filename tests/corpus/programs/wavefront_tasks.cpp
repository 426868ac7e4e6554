// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: main sets a grid and its right side, stored tile by tile in two vectors; tasks with depend relax a tile each in wavefronts, and whoever is free takes the next: nobody has a part
// fix: spread
#include <cstddef>
#include <cstdio>
#include <vector>

static constexpr int tiles = 10, side = 96, sweeps = 8;
static constexpr std::size_t area = static_cast<std::size_t>(side) * side;

class Tiled {
public:
    Tiled() : cells(tiles * tiles * area) {}
    double *tile(int row, int column) { return &cells[static_cast<std::size_t>(row * tiles + column) * area]; }

private:
    std::vector<double> cells;
};

static void relax(double *u, const double *f, const double *up, const double *down, const double *left, const double *right)
{
    for (int r = 0; r < side; r++)
        for (int c = 0; c < side; c++) {
            const double north = r > 0 ? u[(r - 1) * side + c] : up ? up[(side - 1) * side + c] : 0;
            const double south = r + 1 < side ? u[(r + 1) * side + c] : down ? down[c] : 0;
            const double west = c > 0 ? u[r * side + c - 1] : left ? left[r * side + side - 1] : 0;
            const double east = c + 1 < side ? u[r * side + c + 1] : right ? right[r * side] : 0;
            u[r * side + c] = 0.25 * (north + south + west + east + f[r * side + c]);
        }
}

int main()
{
    Tiled grid, source;
    for (int r = 0; r < tiles; r++)
        for (int c = 0; c < tiles; c++)
            for (std::size_t i = 0; i < area; i++) {
                grid.tile(r, c)[i] = 1 + static_cast<double>(i % 7) / 8;
                source.tile(r, c)[i] = static_cast<double>((r * 31 + c * 17 + static_cast<int>(i)) % 64) / 64;
            }

    // A frame of marks, so that each tile has four neighbours to depend on.
    [[maybe_unused]] static char mark[tiles + 2][tiles + 2];
#pragma omp parallel num_threads(8)
#pragma omp single
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int r = 0; r < tiles; r++)
            for (int c = 0; c < tiles; c++) {
#pragma omp task firstprivate(r, c) shared(grid, source, mark)                                          \
    depend(in : mark[r][c + 1], mark[r + 2][c + 1], mark[r + 1][c], mark[r + 1][c + 2])                 \
    depend(inout : mark[r + 1][c + 1])
                relax(grid.tile(r, c), source.tile(r, c), r > 0 ? grid.tile(r - 1, c) : nullptr,
                      r + 1 < tiles ? grid.tile(r + 1, c) : nullptr, c > 0 ? grid.tile(r, c - 1) : nullptr,
                      c + 1 < tiles ? grid.tile(r, c + 1) : nullptr);
            }
    double sum = 0;
    for (int r = 0; r < tiles; r++)
        for (int c = 0; c < tiles; c++)
            sum += grid.tile(r, c)[area / 2] + grid.tile(r, c)[area - 1];
    std::printf("%.9f\n", sum);
}
