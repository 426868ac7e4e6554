// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: the five arrays of each of 960 grids (xalloc, 37.5 MiB in all) are written first by main in new_grid (work is cleared there), then each thread uses only the grids of its own range (by hand with omp_get_thread_num) in every time step
// fix: parts
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A book of American puts, each valued on its own finite-difference grid. */

#define CONTRACTS 960
#define NODES 1024
#define STEPS 48

struct grid {
    double strike, spot_max;
    double *value, *payoff, *sub, *pivot, *work;
};

struct book {
    int n;
    struct grid **g;
};

static void *xalloc(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        abort();
    return p;
}

static struct grid *new_grid(double strike, double sigma, double rate, double dt)
{
    struct grid *g = xalloc(sizeof *g);
    g->strike = strike;
    g->spot_max = 4.0 * strike;
    g->value = xalloc(NODES * sizeof(double));
    g->payoff = xalloc(NODES * sizeof(double));
    g->sub = xalloc(NODES * sizeof(double));
    g->pivot = xalloc(NODES * sizeof(double));
    g->work = xalloc(NODES * sizeof(double));
    double ds = g->spot_max / (NODES - 1), up = 0.0;
    for (int i = 0; i < NODES; i++) {
        double s = i * ds, a = 0.5 * sigma * sigma * i * i * dt, b = 0.5 * rate * i * dt;
        g->payoff[i] = s < strike ? strike - s : 0.0;
        g->value[i] = g->payoff[i];
        int edge = i == 0 || i == NODES - 1;
        g->sub[i] = edge ? 0.0 : -(a - b);
        double diag = edge ? 1.0 : 1.0 + 2.0 * a + rate * dt;
        g->pivot[i] = 1.0 / (diag - g->sub[i] * up);
        up = edge ? 0.0 : -(a + b) * g->pivot[i];
    }
    memset(g->work, 0, NODES * sizeof(double));
    return g;
}

/* one implicit step: forward sweep, back substitution with early exercise */
static void step(struct grid *g, double rate_dt)
{
    double *v = g->value, *w = g->work, last = 0.0;
    for (int i = 0; i < NODES; i++) {
        last = (v[i] - g->sub[i] * last) * g->pivot[i];
        w[i] = last;
    }
    double next = 0.0;
    for (int i = NODES - 1; i >= 0; i--) {
        double up = (i == 0 || i == NODES - 1) ? 0.0 : g->sub[i] - rate_dt * i;
        double x = w[i] - up * g->pivot[i] * next;
        next = x > g->payoff[i] ? x : g->payoff[i];
        v[i] = next;
    }
}

static void value_book(struct book *b, double rate_dt)
{
#pragma omp parallel
    {
        int id = omp_get_thread_num(), nt = omp_get_num_threads();
        int lo = (int)((long)b->n * id / nt), hi = (int)((long)b->n * (id + 1) / nt);
        for (int k = lo; k < hi; k++)
            for (int half = 0; half < 2; half++)
                step(b->g[k], rate_dt);
    }
}

int main(void)
{
    const double rate = 0.03, dt = 0.5 / (2 * STEPS);
    struct book b = {CONTRACTS, xalloc(CONTRACTS * sizeof(struct grid *))};

    for (int k = 0; k < b.n; k++)
        b.g[k] = new_grid(80.0 + 0.0625 * k, 0.15 + 0.0005 * (k % 400), rate, dt);
    for (int t = 0; t < STEPS; t++)
        value_book(&b, rate * dt);

    double sum = 0.0;
    for (int k = 0; k < b.n; k++) {
        double pos = 100.0 / b.g[k]->spot_max * (NODES - 1);
        int i = (int)pos;
        sum += b.g[k]->value[i] + (pos - i) * (b.g[k]->value[i + 1] - b.g[k]->value[i]);
    }
    printf("book of %d puts is worth %.4f\n", b.n, sum);
    for (int k = 0; k < b.n; k++) {
        struct grid *g = b.g[k];
        free(g->value), free(g->payoff), free(g->sub), free(g->pivot), free(g->work);
        free(g);
    }
    free(b.g);
    return 0;
}
