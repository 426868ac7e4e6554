// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

constexpr int NX = 24, NY = 24, NZ = 48, PER_CELL = 8;

struct Vec3 {
    float x, y, z;
};

struct Cell {
    Vec3 p[PER_CELL], v[PER_CELL], a[PER_CELL];
    float density[PER_CELL];
    int count;
};

inline int cell_index(int x, int y, int z) { return (z * NY + y) * NX + x; }

Cell *make_cells();
void fill_cells(Cell *cells);
