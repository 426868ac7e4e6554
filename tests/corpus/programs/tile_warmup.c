// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-first
// truth: u and v of a reaction (pointers to rows of a length known at run time, 1024 x 1024 doubles, 8 MiB each) come from aligned_alloc untouched; main runs the first iteration alone, as a warm-up over the whole field, which sets them; then eight C11 threads iterate on one tile each (a quarter of the rows, half of the columns: one page of each row)
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

enum { NTHREADS = 8, DOWN = 4, ACROSS = 2, ITERATIONS = 24 };

struct tile {
    int n, row, end_row, column, end_column;
    void *u, *v;
    double change;
};

static double iterate(const struct tile *t, int iteration)
{
    int n = t->n;
    double(*u)[n] = t->u, (*v)[n] = t->v;
    double change = 0;

    for (int i = t->row; i < t->end_row; i++)
        for (int j = t->column; j < t->end_column; j++) {
            if (iteration == 0) {
                u[i][j] = 1 - 0.5 * ((i * 7 + j * 3) % 101 == 0);
                v[i][j] = 0.25 * ((i * 5 + j) % 89 == 0);
                continue;
            }
            double left = j > t->column ? u[i][j - 1] : u[i][j], reaction = u[i][j] * v[i][j] * v[i][j];
            u[i][j] += 0.1 * (left - u[i][j]) - reaction + 0.037 * (1 - u[i][j]);
            v[i][j] += reaction - 0.097 * v[i][j];
            change += reaction;
        }
    return change;
}

static int run(void *argument)
{
    struct tile *t = argument;

    for (int k = 1; k <= ITERATIONS; k++)
        t->change = iterate(t, k);
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    struct tile whole = {.n = n, .end_row = n, .end_column = n};
    struct tile tiles[NTHREADS];
    thrd_t threads[NTHREADS];
    double change = 0;

    whole.u = aligned_alloc(4096, sizeof(double[n][n]));
    whole.v = aligned_alloc(4096, sizeof(double[n][n]));
    if (!whole.u || !whole.v)
        return 1;
    iterate(&whole, 0);
    for (int k = 0; k < NTHREADS; k++) {
        tiles[k] = whole;
        tiles[k].row = k / ACROSS * n / DOWN;
        tiles[k].end_row = (k / ACROSS + 1) * n / DOWN;
        tiles[k].column = k % ACROSS * n / ACROSS;
        tiles[k].end_column = (k % ACROSS + 1) * n / ACROSS;
        if (thrd_create(&threads[k], run, &tiles[k]) != thrd_success)
            return 1;
    }
    for (int k = 0; k < NTHREADS; k++) {
        thrd_join(threads[k], NULL);
        change += tiles[k].change;
    }
    printf("%.9f\n", change);
    free(whole.u);
    free(whole.v);
    return 0;
}
