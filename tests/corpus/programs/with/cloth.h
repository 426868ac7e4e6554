// SPDX-License-Identifier: Apache-2.0
#ifndef CLOTH_H
#define CLOTH_H

#include <cstddef>

struct Point {
    float x, y, z, mass;
};

// A piece of cloth: points in rows, where they were, and the forces on them.
struct Cloth {
    int rows, columns;
    Point *now, *before;
    float (*force)[4];
    Point &at(int row, int column) { return now[std::size_t(row) * columns + column]; }
};

Cloth cut(int rows, int columns);
void hang(Cloth &cloth, float height, float slack);

#endif
