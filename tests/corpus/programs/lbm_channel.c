// truth: both lattices (arrays of cells of nine populations) are written first by main alone in lattice_fill; afterwards a static OpenMP loop gives each thread a block of rows of both, swapped after each step
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#define Q 9
#define LX 288
#define LY 224
#define STEPS 8
#define AT(l, x, y) ((size_t)(y) * (l)->nx + (x))

typedef struct {
    double f[Q];
} cell_t;

typedef struct {
    int nx, ny;
    cell_t *cur, *next;
    unsigned char *wall;
    double omega;
} lattice_t;

static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weight[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};

static void *xaligned(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, 64, bytes)) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

static inline double equilibrium(int k, double rho, double ux, double uy)
{
    const double cu = cx[k] * ux + cy[k] * uy;
    return weight[k] * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
}

static lattice_t *lattice_new(int nx, int ny, double tau)
{
    lattice_t *l = xaligned(sizeof *l);
    const size_t cells = (size_t)nx * ny;
    *l = (lattice_t){.nx = nx, .ny = ny, .omega = 1 / tau};
    l->cur = xaligned(cells * sizeof(cell_t));
    l->next = xaligned(cells * sizeof(cell_t));
    l->wall = xaligned(cells);
    return l;
}

static void lattice_fill(lattice_t *l)
{
    for (int y = 0; y < l->ny; y++)
        for (int x = 0; x < l->nx; x++) {
            const size_t at = AT(l, x, y);
            const int dx = x - l->nx / 4, dy = y - l->ny / 2;
            const double ux = 0.06 * (1 + 0.1 * ((x * 7 + y * 13) % 11) / 11.0);
            l->wall[at] = y == 0 || y == l->ny - 1 || dx * dx + dy * dy < 400;
            for (int k = 0; k < Q; k++)
                l->next[at].f[k] = l->cur[at].f[k] = equilibrium(k, 1.0, ux, 0);
        }
}

static void stream_and_collide(lattice_t *l)
{
    const int nx = l->nx, ny = l->ny;
    const cell_t *restrict from = l->cur;
    cell_t *restrict to = l->next;
    const double omega = l->omega;

#pragma omp parallel for collapse(2) schedule(static)
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            double f[Q], rho = 0, ux = 0, uy = 0;
            const size_t at = AT(l, x, y);
            for (int k = 0; k < Q; k++) {
                int sx = x - cx[k], sy = y - cy[k];
                sx = sx < 0 ? nx - 1 : sx == nx ? 0 : sx;
                sy = sy < 0 ? ny - 1 : sy == ny ? 0 : sy;
                f[k] = from[AT(l, sx, sy)].f[k];
                rho += f[k];
                ux += cx[k] * f[k];
                uy += cy[k] * f[k];
            }
            if (l->wall[at]) {
                for (int k = 0; k < Q; k++)
                    to[at].f[opposite[k]] = f[k];
                continue;
            }
            ux /= rho;
            uy /= rho;
            for (int k = 0; k < Q; k++)
                to[at].f[k] = f[k] + omega * (equilibrium(k, rho, ux, uy) - f[k]);
        }
    l->next = l->cur;
    l->cur = to;
}

int main(void)
{
    lattice_t *l = lattice_new(LX, LY, 0.7);
    lattice_fill(l);
    for (int step = 0; step < STEPS; step++)
        stream_and_collide(l);

    double mass = 0, momentum = 0;
    for (size_t i = 0; i < (size_t)l->nx * l->ny; i++)
        for (int k = 0; k < Q; k++) {
            mass += l->cur[i].f[k];
            momentum += cx[k] * l->cur[i].f[k];
        }
    printf("mass %.6f momentum %.6f\n", mass, momentum);
    free(l->cur);
    free(l->next);
    free(l->wall);
    free(l);
}
