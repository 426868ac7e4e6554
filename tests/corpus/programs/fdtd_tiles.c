// truth: main alone fills the two staging arrays, but they are read only once; each thread allocates and fills tiles of its own from them (2 MiB, aligned) and all time steps work on these
// fix: none
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NX 512
#define ROWS 120
#define TILES 8
#define STEPS 14
#define TILE_BYTES ((size_t)2 << 20)
#define LINE(field, row) ((field) + (size_t)(row) * NX)

typedef struct {
    double *ez, *hx, *hy, *inv_eps; /* ROWS + 2 lines each, the first and the last one are halos */
} tile;

typedef struct {
    double *ez, *eps;
    int ny;
} input;

static void *get(size_t alignment, size_t bytes)
{
    void *p = aligned_alloc(alignment, bytes);
    if (!p)
        exit(1);
    return p;
}

static input read_input(int ny)
{
    input in = {get(64, (size_t)ny * NX * sizeof(double)), get(64, (size_t)ny * NX * sizeof(double)), ny};
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < NX; x++) {
            const double dx = (x - NX / 2) / 40.0, dy = (y - ny / 2) / 40.0;
            LINE(in.eps, y)[x] = 1.0 + ((x / 32 + y / 32) % 3);
            LINE(in.ez, y)[x] = 1 / (1 + dx * dx + dy * dy);
        }
    return in;
}

static void make_tile(tile *t, const input *in, int first)
{
    const size_t cells = (size_t)(ROWS + 2) * NX;
    double *block = get(TILE_BYTES, TILE_BYTES);
    t->ez = block;
    t->hx = t->ez + cells;
    t->hy = t->hx + cells;
    t->inv_eps = t->hy + cells;
    memset(block, 0, 4 * cells * sizeof(double));
    for (int r = 1; r <= ROWS; r++) {
        memcpy(LINE(t->ez, r), LINE(in->ez, first + r - 1), NX * sizeof(double));
        for (int x = 0; x < NX; x++)
            LINE(t->inv_eps, r)[x] = 1 / LINE(in->eps, first + r - 1)[x];
    }
}

static void update_h(tile *t, const tile *below)
{
    if (below)
        memcpy(LINE(t->ez, ROWS + 1), LINE(below->ez, 1), NX * sizeof(double));
    for (int r = 1; r <= ROWS; r++) {
        double *hx = LINE(t->hx, r), *hy = LINE(t->hy, r);
        const double *ez = LINE(t->ez, r), *down = LINE(t->ez, r + 1);
        for (int x = 0; x < NX - 1; x++) {
            hx[x] -= 0.5 * (down[x] - ez[x]);
            hy[x] += 0.5 * (ez[x + 1] - ez[x]);
        }
    }
}

static void update_e(tile *t, const tile *above)
{
    if (above)
        memcpy(LINE(t->hx, 0), LINE(above->hx, ROWS), NX * sizeof(double));
    for (int r = 1; r <= ROWS; r++) {
        double *ez = LINE(t->ez, r);
        const double *hx = LINE(t->hx, r), *up = LINE(t->hx, r - 1), *hy = LINE(t->hy, r), *ie = LINE(t->inv_eps, r);
        for (int x = 1; x < NX - 1; x++)
            ez[x] += 0.5 * ie[x] * (hy[x] - hy[x - 1] - hx[x] + up[x]);
    }
}

int main(void)
{
    static tile tiles[TILES];
    input in = read_input(TILES * ROWS);

#pragma omp parallel for schedule(static, 1)
    for (int t = 0; t < TILES; t++)
        make_tile(&tiles[t], &in, t * ROWS);
    free(in.ez);
    free(in.eps);

    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel
        {
#pragma omp for schedule(static, 1)
            for (int t = 0; t < TILES; t++)
                update_h(&tiles[t], t + 1 < TILES ? &tiles[t + 1] : NULL);
#pragma omp for schedule(static, 1)
            for (int t = 0; t < TILES; t++)
                update_e(&tiles[t], t > 0 ? &tiles[t - 1] : NULL);
        }
    }

    double energy = 0;
    for (int t = 0; t < TILES; t++) {
        for (int r = 1; r <= ROWS; r++)
            for (int x = 0; x < NX; x++)
                energy += LINE(tiles[t].ez, r)[x] * LINE(tiles[t].ez, r)[x];
        free(tiles[t].ez);
    }
    printf("energy %.6f\n", energy);
}
