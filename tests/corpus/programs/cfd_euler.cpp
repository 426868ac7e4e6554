// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: an unstructured Euler solver as Rodinia's: five variables of a cell in planes, from a template over new[]; main sets them
// fix: parts
#include <cmath>
#include <cstdio>

constexpr int NVAR = 5, NEIGHBOURS = 4, NCELLS = 96 * 1024;

template <typename T> T *alloc(int n) { return new T[n]; }
template <typename T> void dealloc(T *array) { delete[] array; }

template <typename T> static void copy(T *to, const T *from, int n)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

struct flow {
    double density, mx, my, mz, energy;
};

static inline flow load(const double *variables, int i)
{
    return {variables[i], variables[i + NCELLS], variables[i + 2 * NCELLS], variables[i + 3 * NCELLS],
            variables[i + 4 * NCELLS]};
}

static inline double pressure(const flow &f)
{
    double squared = f.mx * f.mx + f.my * f.my + f.mz * f.mz;
    return 0.4 * (f.energy - 0.5 * squared / f.density);
}

static void initialise(double *variables)
{
    const double far_field[NVAR] = {1.4, 1.2, 0.0, 0.0, 2.5};
    for (int i = 0; i < NCELLS; i++)
        for (int v = 0; v < NVAR; v++)
            variables[i + v * NCELLS] = far_field[v] + 1e-3 * ((i * 7 + v) % 11);
}

static void connect(int *around, double *normals)
{
    unsigned state = 77;
    for (int i = 0; i < NCELLS; i++)
        for (int k = 0; k < NEIGHBOURS; k++) {
            state = state * 1664525u + 1013904223u;
            int other = i + static_cast<int>((state >> 20) % 129) - 64;
            around[i + k * NCELLS] = other < 0 || other >= NCELLS ? -1 : other;
            normals[i + k * NCELLS] = (k & 1 ? -1.0 : 1.0) * 0.01;
        }
}

static void compute_flux(const int *around, const double *normals, const double *variables, double *fluxes)
{
#pragma omp parallel for default(shared) schedule(static)
    for (int i = 0; i < NCELLS; i++) {
        flow here = load(variables, i);
        double p = pressure(here), sum[NVAR] = {};
        for (int k = 0; k < NEIGHBOURS; k++) {
            int j = around[i + k * NCELLS];
            double normal = normals[i + k * NCELLS];
            if (j < 0)
                continue;
            flow there = load(variables, j);
            double q = pressure(there);
            sum[0] += normal * (here.density + there.density);
            sum[1] += normal * (here.mx + there.mx + p + q);
            sum[2] += normal * (here.my + there.my);
            sum[3] += normal * (here.mz + there.mz);
            sum[4] += normal * (here.energy + there.energy);
        }
        for (int v = 0; v < NVAR; v++)
            fluxes[i + v * NCELLS] = sum[v];
    }
}

static void time_step(const double *old_variables, double *variables, const double *fluxes)
{
#pragma omp parallel for default(shared) schedule(static)
    for (int i = 0; i < NCELLS; i++)
        for (int v = 0; v < NVAR; v++)
            variables[i + v * NCELLS] = old_variables[i + v * NCELLS] + 1e-3 * fluxes[i + v * NCELLS];
}

int main()
{
    double *variables = alloc<double>(NCELLS * NVAR);
    double *old_variables = alloc<double>(NCELLS * NVAR);
    double *fluxes = alloc<double>(NCELLS * NVAR);
    double *normals = alloc<double>(NCELLS * NEIGHBOURS);
    int *around = alloc<int>(NCELLS * NEIGHBOURS);
    initialise(variables);
    initialise(old_variables);
    initialise(fluxes);
    connect(around, normals);
    for (int iteration = 0; iteration < 8; iteration++) {
        copy(old_variables, variables, NCELLS * NVAR);
        compute_flux(around, normals, variables, fluxes);
        time_step(old_variables, variables, fluxes);
    }
    std::printf("%.9f %.9f\n", variables[17], variables[NCELLS * 4 + 3]);
    dealloc(around);
    dealloc(normals);
    dealloc(fluxes);
    dealloc(old_variables);
    dealloc(variables);
}
