// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twentieth
// truth: a list macro declares, allocates and sets the concentrations of five species (4 MiB each) in main; two loops of each step, one for transport and one for reactions, give each OpenMP thread the same rows (static)
// fix: parts
#include <stdio.h>
#include <stdlib.h>

/*        name  background  deposition */
#define SPECIES(X)           \
    X(o3,   40.0,  0.004)    \
    X(no,    0.1,  0.001)    \
    X(no2,   1.5,  0.002)    \
    X(co,  120.0,  0.0)      \
    X(hcho,  0.8,  0.003)

enum { NX = 512, NY = 1024, NSTEPS = 20 };

#define AT(x, y) ((size_t)(y) * NX + (x))

struct air {
#define X(name, background, deposition) double *name;
    SPECIES(X)
#undef X
};

static int air_init(struct air *air)
{
#define X(name, background, deposition)                        \
    air->name = malloc(sizeof(*air->name) * NX * NY);          \
    if (!air->name)                                            \
        return -1;                                             \
    for (int y = 0; y < NY; y++)                               \
        for (int x = 0; x < NX; x++)                           \
            air->name[AT(x, y)] = background * (1 + 0.1 * ((x ^ y) & 7));
    SPECIES(X)
#undef X
    return 0;
}

static void air_free(struct air *air)
{
#define X(name, background, deposition) free(air->name);
    SPECIES(X)
#undef X
}

static void blow(struct air *air, double wind)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < NY; y++) {
#define X(name, background, deposition)                                                     \
    for (int x = NX - 1; x > 0; x--)                                                        \
        air->name[AT(x, y)] -= wind * (air->name[AT(x, y)] - air->name[AT(x - 1, y)]) +     \
                               deposition * air->name[AT(x, y)];
        SPECIES(X)
#undef X
    }
}

static void react(struct air *air, double light)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            size_t i = AT(x, y);
            double titration = 0.0004 * air->o3[i] * air->no[i];
            double photolysis = light * air->no2[i];
            double oxidation = 1e-5 * air->co[i];

            air->o3[i] += photolysis - titration;
            air->no[i] += photolysis - titration;
            air->no2[i] += titration - photolysis;
            air->co[i] -= oxidation;
            air->hcho[i] += 0.3 * oxidation - 0.01 * light * air->hcho[i];
        }
}

int main(void)
{
    struct air air;
    double total = 0;

    if (air_init(&air) < 0)
        return 1;
    for (int n = 0; n < NSTEPS; n++) {
        blow(&air, 0.2);
        react(&air, 0.01 + 0.0005 * n);
    }
    for (int x = 0; x < NX; x++)
        total += air.o3[AT(x, NY / 2)] + air.hcho[AT(x, NY / 3)];
    printf("%.8f\n", total);
    air_free(&air);
    return 0;
}
