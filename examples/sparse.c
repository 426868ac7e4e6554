// SPDX-License-Identifier: Apache-2.0
// A sparse matrix times a vector, over and over:  sparse [SWEEPS [THOUSAND_ROWS]]
//
// Each thread has rows of its own, but looks up the vector anywhere. One thread fills all, in nested loops; the matrix
// and the vector are allocated at one line.
#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES = 4 }; // in each row

struct matrix {
    size_t rows;
    double *values;
    unsigned *columns;
};

static void fill(struct matrix *m, double *x)
{
    unsigned long random = 88172645463325252UL; // xorshift64: Marsaglia, "Xorshift RNGs", 2003
    for (size_t i = 0; i < m->rows; i++) {
        x[i] = 1.0;
        for (size_t k = ENTRIES * i; k < ENTRIES * (i + 1); k++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            m->columns[k] = (unsigned)(random % m->rows);
            m->values[k] = 0.5;
        }
    }
}

static void multiply(const struct matrix *m, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < m->rows; i++) {
        double sum = 0;
        for (size_t k = ENTRIES * i; k < ENTRIES * (i + 1); k++)
            sum += m->values[k] * x[m->columns[k]];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40;
    struct matrix m = {.rows = 1000 * (argc > 2 ? strtoul(argv[2], NULL, 10) : 16000)};
    double *x = malloc(m.rows * sizeof *x); m.values = malloc(ENTRIES * m.rows * sizeof *m.values);
    m.columns = malloc(ENTRIES * m.rows * sizeof *m.columns);
    double *y = malloc(m.rows * sizeof *y);
    if (!x || !m.values || !m.columns || !y)
        return 1;
    fill(&m, x);
    for (int sweep = 0; sweep < sweeps; sweep++)
        multiply(&m, x, y);
    printf("y[0] = %g: %d products with %zu rows\n", y[0], sweeps, m.rows);
    free(x), free(y), free(m.values), free(m.columns);
    return 0;
}
