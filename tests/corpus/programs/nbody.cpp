// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: bodies in a vector that main makes, small enough for the caches, and much to compute: nothing to gain
// fix: none
#include <cmath>
#include <cstdio>
#include <vector>

struct Body {
    double x, y, z, vx, vy, vz, mass;
};

int main()
{
    std::vector<Body> bodies(700);
    for (size_t i = 0; i < bodies.size(); i++)
        bodies[i] = Body{std::sin(i * 1.0), std::cos(i * 2.0), std::sin(i * 3.0), 0, 0, 0, 1};
    const int n = (int)bodies.size();
    for (int step = 0; step < 4; step++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
                double d = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
                bodies[i].vx += dx * d * d * d * 1e-6;
                bodies[i].vy += dy * d * d * d * 1e-6;
                bodies[i].vz += dz * d * d * d * 1e-6;
            }
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; i++)
            bodies[i].x += bodies[i].vx;
    }
    std::printf("%.6f\n", bodies[3].x);
}
