// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: link cells of at most 16 atoms: arrays of a structure as real3 rows, made and set by main; boxes are divided
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#define MAXATOMS 16

typedef double real_t;
typedef real_t real3[3];

typedef struct AtomsSt {
    int nLocal;
    int *gid;
    real3 *r, *p, *f;
    real_t *U;
} Atoms;

typedef struct LinkCellSt {
    int gridSize[3], nLocalBoxes;
    int *nAtoms;
} LinkCell;

typedef struct SimFlatSt {
    LinkCell *boxes;
    Atoms *atoms;
} SimFlat;

static inline void *comdMalloc(size_t iSize)
{
    return malloc(iSize);
}

static inline void *comdCalloc(size_t num, size_t iSize)
{
    return calloc(num, iSize);
}

static inline void zeroReal3(real3 a)
{
    a[0] = a[1] = a[2] = 0.0;
}

static LinkCell *initLinkCells(int nx, int ny, int nz)
{
    LinkCell *ll = comdMalloc(sizeof(LinkCell));
    ll->gridSize[0] = nx;
    ll->gridSize[1] = ny;
    ll->gridSize[2] = nz;
    ll->nLocalBoxes = nx * ny * nz;
    ll->nAtoms = comdMalloc(ll->nLocalBoxes * sizeof(int));
    for (int iBox = 0; iBox < ll->nLocalBoxes; ++iBox)
        ll->nAtoms[iBox] = 0;
    return ll;
}

static Atoms *initAtoms(LinkCell *boxes)
{
    Atoms *atoms = comdMalloc(sizeof(Atoms));
    int maxTotalAtoms = MAXATOMS * boxes->nLocalBoxes;
    atoms->gid = comdMalloc(maxTotalAtoms * sizeof(int));
    atoms->r = comdMalloc(maxTotalAtoms * sizeof(real3));
    atoms->p = comdMalloc(maxTotalAtoms * sizeof(real3));
    atoms->f = comdMalloc(maxTotalAtoms * sizeof(real3));
    atoms->U = comdCalloc(maxTotalAtoms, sizeof(real_t));
    atoms->nLocal = 0;
    for (int iOff = 0; iOff < maxTotalAtoms; iOff++) {
        atoms->gid[iOff] = 0;
        zeroReal3(atoms->r[iOff]);
        zeroReal3(atoms->p[iOff]);
        zeroReal3(atoms->f[iOff]);
        atoms->U[iOff] = 0.;
    }
    return atoms;
}

static void createFccLattice(SimFlat *s)
{
    for (int iBox = 0; iBox < s->boxes->nLocalBoxes; iBox++)
        for (int a = 0; a < 12; a++) {
            int iOff = MAXATOMS * iBox + s->boxes->nAtoms[iBox]++;
            for (int m = 0; m < 3; m++)
                s->atoms->r[iOff][m] = (iBox % 7) + 0.25 * ((a >> m) & 3) + 0.01 * a;
            s->atoms->gid[iOff] = s->atoms->nLocal++;
        }
}

static void force(SimFlat *s)
{
    const int nx = s->boxes->gridSize[0];
#pragma omp parallel for
    for (int iBox = 0; iBox < s->boxes->nLocalBoxes; iBox++) {
        for (int i = MAXATOMS * iBox; i < MAXATOMS * iBox + s->boxes->nAtoms[iBox]; i++) {
            zeroReal3(s->atoms->f[i]);
            s->atoms->U[i] = 0;
        }
        for (int side = -1; side <= 1; side++) {
            int jBox = iBox + side * nx;
            if (jBox < 0 || jBox >= s->boxes->nLocalBoxes)
                continue;
            for (int i = MAXATOMS * iBox; i < MAXATOMS * iBox + s->boxes->nAtoms[iBox]; i++) {
                for (int j = MAXATOMS * jBox; j < MAXATOMS * jBox + s->boxes->nAtoms[jBox]; j += 4) {
                    real3 dr;
                    real_t r2 = 0.1;
                    for (int m = 0; m < 3; m++) {
                        dr[m] = s->atoms->r[i][m] - s->atoms->r[j][m];
                        r2 += dr[m] * dr[m];
                    }
                    for (int m = 0; m < 3; m++)
                        s->atoms->f[i][m] += dr[m] / r2;
                    s->atoms->U[i] += 1 / r2;
                }
            }
        }
    }
}

static void advance(SimFlat *s, real_t dt)
{
#pragma omp parallel for
    for (int iBox = 0; iBox < s->boxes->nLocalBoxes; iBox++)
        for (int iOff = MAXATOMS * iBox, ii = 0; ii < s->boxes->nAtoms[iBox]; ii++, iOff++)
            for (int m = 0; m < 3; m++) {
                s->atoms->p[iOff][m] += dt * s->atoms->f[iOff][m];
                s->atoms->r[iOff][m] += dt * s->atoms->p[iOff][m];
            }
}

int main(void)
{
    SimFlat sim;
    sim.boxes = initLinkCells(16, 16, 14);
    sim.atoms = initAtoms(sim.boxes);
    createFccLattice(&sim);
    for (int step = 0; step < 6; step++) {
        force(&sim);
        advance(&sim, 1e-3);
    }
    printf("%.10f %d\n", sim.atoms->U[5000], sim.atoms->nLocal);
}
