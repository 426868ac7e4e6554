// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fourth
// truth: a sparse matrix that main reads as text, line by line, into CSR arrays of a structure; rows are divided
// fix: parts
#include <stdio.h>
#include <stdlib.h>

struct csr {
    int rows, entries;
    int *begin, *column;
    double *value;
};

static struct csr *load(FILE *file)
{
    struct csr *m = malloc(sizeof *m);
    if (fscanf(file, "%d %d", &m->rows, &m->entries) != 2)
        exit(1);
    m->begin = malloc((m->rows + 1) * sizeof(int));
    m->column = malloc(m->entries * sizeof(int));
    m->value = malloc(m->entries * sizeof(double));
    int last = -1;
    for (int k = 0, row; k < m->entries; k++) {
        if (fscanf(file, "%d %d %lf", &row, &m->column[k], &m->value[k]) != 3)
            exit(1);
        while (last < row)
            m->begin[++last] = k;
    }
    m->begin[m->rows] = m->entries;
    return m;
}

static void multiply(const struct csr *m, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int r = 0; r < m->rows; r++) {
        double sum = 0;
        for (int k = m->begin[r]; k < m->begin[r + 1]; k++)
            sum += m->value[k] * x[m->column[k]];
        y[r] = sum;
    }
}

int main(void)
{
    FILE *file = tmpfile();
    const int rows = 24000, each = 12;
    fprintf(file, "%d %d\n", rows, rows * each);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < each; k++)
            fprintf(file, "%d %d %d\n", r, (r + k * k) % rows, 1 + k % 3);
    rewind(file);
    struct csr *m = load(file);
    double *x = malloc(rows * sizeof *x), *y = malloc(rows * sizeof *y);
    for (int r = 0; r < rows; r++) {
        x[r] = 1.0 / (1 + r % 5);
        y[r] = 0;
    }
    for (int step = 0; step < 14; step++) {
        multiply(m, x, y);
        multiply(m, y, x);
    }
    printf("%.6e\n", x[rows / 3]);
}
