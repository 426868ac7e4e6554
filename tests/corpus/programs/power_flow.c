// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: main grows val and col by realloc and fills seven arrays; each thread a block of rows with as many nonzeros as the others
// fix: parts
/* Weighted Jacobi relaxation of a power network's nodal equations.  The matrix
 * is read line by line (here: generated) into arrays that grow by realloc, and
 * a team of pthreads relaxes ranges of buses of equal numbers of nonzeros. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct net {
    size_t nbus, nnz, cap;
    size_t *row;
    int32_t *col;
    double *val;
    double *inject, *diag;
    double *volt[2];
};

struct worker {
    pthread_t id;
    struct net *net;
    size_t lo, hi;
    int sweeps;
    int64_t part;
};

static pthread_barrier_t gate;

static void *must(void *p)
{
    if (!p) {
        perror("memory");
        exit(1);
    }
    return p;
}

static void add(struct net *n, size_t to, double y)
{
    if (n->nnz == n->cap) {
        n->cap += n->cap / 2 + 4096;
        n->col = must(realloc(n->col, n->cap * sizeof *n->col));
        n->val = must(realloc(n->val, n->cap * sizeof *n->val));
    }
    n->col[n->nnz] = (int32_t)to;
    n->val[n->nnz] = y;
    n->nnz++;
}

static void read_network(struct net *n, size_t nbus)
{
    uint32_t r = 2463534242u;
    n->nbus = nbus;
    n->row = must(malloc((nbus + 1) * sizeof *n->row));
    n->inject = must(malloc(nbus * sizeof(double)));
    n->diag = must(malloc(nbus * sizeof(double)));
    n->volt[0] = must(malloc(nbus * sizeof(double)));
    n->volt[1] = must(malloc(nbus * sizeof(double)));
    for (size_t i = 0; i < nbus; i++) {
        double sum = 0.05;
        int lines;
        r ^= r << 13, r ^= r >> 17, r ^= r << 5;
        lines = 4 + (int)(r % 9) + (i > nbus / 2 ? 3 : 0);
        n->row[i] = n->nnz;
        for (int k = 0; k < lines; k++) {
            size_t to = i + nbus - 200 + (r >> 3) % 401;
            double y = 0.1 + (r & 255) / 256.0;
            add(n, to % nbus, y);
            sum += y;
            r = r * 1664525u + 1013904223u;
        }
        n->diag[i] = sum;
        n->inject[i] = (double)(r >> 20) / 4096.0 - 0.5;
        n->volt[0][i] = 1.0;
        n->volt[1][i] = 1.0;
    }
    n->row[nbus] = n->nnz;
}

static void *relax(void *arg)
{
    struct worker *w = arg;
    struct net *n = w->net;
    for (int s = 0; s < w->sweeps; s++) {
        const double *old = n->volt[s & 1];
        double *new = n->volt[~s & 1];
        for (size_t i = w->lo; i < w->hi; i++) {
            double a = n->inject[i];
            for (size_t k = n->row[i]; k < n->row[i + 1]; k++)
                a += n->val[k] * old[n->col[k]];
            new[i] = 0.2 * old[i] + 0.8 * a / n->diag[i];
        }
        pthread_barrier_wait(&gate);
    }
    for (size_t i = w->lo; i < w->hi; i++)
        w->part += (int64_t)(n->volt[w->sweeps & 1][i] * 1e6);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *env = getenv("OMP_NUM_THREADS");
    int nt = argc > 1 ? atoi(argv[1]) : env ? atoi(env) : 8;
    struct net net = { 0 };
    struct worker *team;
    int64_t sum = 0;
    size_t at = 0;

    if (nt < 1)
        nt = 8;
    read_network(&net, 280000);
    team = must(calloc((size_t)nt, sizeof *team));
    pthread_barrier_init(&gate, NULL, (unsigned)nt);
    for (int t = 0; t < nt; t++) {
        team[t].net = &net;
        team[t].sweeps = 36;
        team[t].lo = at;
        while (at < net.nbus && net.row[at] < net.nnz * (size_t)(t + 1) / (size_t)nt)
            at++;
        if (t == nt - 1)
            at = net.nbus;
        team[t].hi = at;
    }
    for (int t = 0; t < nt; t++)
        pthread_create(&team[t].id, NULL, relax, &team[t]);
    for (int t = 0; t < nt; t++) {
        pthread_join(team[t].id, NULL);
        sum += team[t].part;
    }
    printf("checksum %lld\n", (long long)sum);
    free(net.row), free(net.col), free(net.val), free(net.inject);
    free(net.diag), free(net.volt[0]), free(net.volt[1]), free(team);
    return 0;
}
