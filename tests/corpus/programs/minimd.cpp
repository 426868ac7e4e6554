// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: rows of one block behind pointers, neighbour lists of fixed length, all filled by main; atoms divided
// fix: parts
#include <cstdio>
#include <cstdlib>

class Memory2d {
public:
    static double **create(int n, int m)
    {
        double *data = (double *)std::malloc(sizeof(double) * n * m);
        double **rows = (double **)std::malloc(sizeof(double *) * n);
        for (int i = 0; i < n; i++)
            rows[i] = data + (size_t)i * m;
        return rows;
    }
};

struct Atoms {
    int count;
    double **x, **f;
};

struct Neighbours {
    enum { Most = 24 };
    int *numbers, *list;

    void build(const Atoms &atoms)
    {
        numbers = new int[atoms.count];
        list = new int[(size_t)atoms.count * Most];
        for (int i = 0; i < atoms.count; i++) {
            numbers[i] = Most - i % 3;
            for (int k = 0; k < numbers[i]; k++)
                list[(size_t)i * Most + k] = (i + (k - Most / 2) * 5 + atoms.count) % atoms.count;
        }
    }
};

static void force(Atoms &atoms, const Neighbours &near)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < atoms.count; i++) {
        const int *mine = &near.list[(size_t)i * Neighbours::Most];
        double fx = 0, fy = 0, fz = 0;
        for (int k = 0; k < near.numbers[i]; k++) {
            const double *other = atoms.x[mine[k]];
            double dx = atoms.x[i][0] - other[0], dy = atoms.x[i][1] - other[1], dz = atoms.x[i][2] - other[2];
            double r = 1.0 / (dx * dx + dy * dy + dz * dz + 1.0);
            fx += dx * r;
            fy += dy * r;
            fz += dz * r;
        }
        atoms.f[i][0] = fx;
        atoms.f[i][1] = fy;
        atoms.f[i][2] = fz;
    }
}

static void integrate(Atoms &atoms)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < atoms.count; i++)
        for (int d = 0; d < 3; d++)
            atoms.x[i][d] += 0.001 * atoms.f[i][d];
}

int main()
{
    Atoms atoms{48000, nullptr, nullptr};
    atoms.x = Memory2d::create(atoms.count, 3);
    atoms.f = Memory2d::create(atoms.count, 3);
    for (int i = 0; i < atoms.count; i++)
        for (int d = 0; d < 3; d++) {
            atoms.x[i][d] = i % 37 + 0.1 * d;
            atoms.f[i][d] = 0;
        }
    Neighbours near;
    near.build(atoms);
    for (int step = 0; step < 8; step++) {
        force(atoms, near);
        integrate(atoms);
    }
    std::printf("%.8f\n", atoms.x[12345][1]);
}
