// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, eighteenth
// with: cloth.h cloth_pattern.cpp
// truth: main allocates three arrays of a piece of cloth (7.5 MiB each) by new[], and a helper in another file sets them row by row, by copy and by fill_n; OpenMP gives each thread the same block of rows in every step
// fix: parts
#include "cloth.h"

#include <cmath>
#include <cstdio>

// Verlet integration of cloth that hangs from its first row and is blown by wind.

Cloth cut(int rows, int columns)
{
    std::size_t points = std::size_t(rows) * columns;
    return {rows, columns, new Point[points], new Point[points], new float[points][4]};
}

static void pull(const Point &a, const Point &b, float rest, float *force)
{
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float length = std::sqrt(dx * dx + dy * dy + dz * dz), k = 40 * (length - rest) / length;
    force[0] += k * dx, force[1] += k * dy, force[2] += k * dz;
}

static void strain(Cloth &cloth, float wind)
{
#pragma omp parallel for schedule(static)
    for (int row = 0; row < cloth.rows; row++)
        for (int column = 0; column < cloth.columns; column++) {
            float *force = cloth.force[std::size_t(row) * cloth.columns + column];
            const Point &p = cloth.at(row, column);
            force[0] = wind, force[1] = -9.81f * p.mass, force[2] = 0.3f * wind;
            if (row > 0)
                pull(p, cloth.at(row - 1, column), 0.01f, force);
            if (row + 1 < cloth.rows)
                pull(p, cloth.at(row + 1, column), 0.01f, force);
            if (column > 0)
                pull(p, cloth.at(row, column - 1), 0.01f, force);
            if (column + 1 < cloth.columns)
                pull(p, cloth.at(row, column + 1), 0.01f, force);
        }
}

static void move(Cloth &cloth, float step)
{
#pragma omp parallel for schedule(static)
    for (int row = 0; row < cloth.rows; row++)
        for (int column = 0; column < cloth.columns; column++) {
            std::size_t i = std::size_t(row) * cloth.columns + column;
            Point p = cloth.now[i], q = cloth.before[i];
            const float *force = cloth.force[i];
            float s = p.mass * step * step;
            cloth.before[i] = p;
            cloth.now[i] = {p.x + 0.99f * (p.x - q.x) + s * force[0], p.y + 0.99f * (p.y - q.y) + s * force[1],
                            p.z + 0.99f * (p.z - q.z) + s * force[2], p.mass};
        }
}

int main()
{
    Cloth cloth = cut(768, 640);
    hang(cloth, 3.0f, 0.002f);
    for (int step = 0; step < 30; step++) {
        strain(cloth, 0.5f + 0.01f * step);
        move(cloth, 0.002f);
    }
    double low = 0, away = 0;
    for (int row = 0; row < cloth.rows; row++)
        for (int column = 0; column < cloth.columns; column += 7)
            low += cloth.at(row, column).y, away += cloth.at(row, column).x;
    std::printf("height %.6f drift %.6f\n", low / cloth.rows, away / cloth.rows);
    delete[] cloth.now;
    delete[] cloth.before;
    delete[] cloth.force;
}
