// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: CSR matrix and vectors; a parallel region fills partitions by hand, as hypre does, its loops use the same ones: nothing to gain
// fix: none
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define CTAlloc(type, count) ((type *)calloc((size_t)(count), sizeof(type)))
#define TAlloc(type, count) ((type *)malloc((size_t)(count) * sizeof(type)))

typedef struct {
    int num_rows;
    int *i, *j;
    double *data;
} csr_matrix;

static void partition(int n, int *begin, int *end)
{
    int threads = omp_get_num_threads(), me = omp_get_thread_num(), each = n / threads, rest = n % threads;
    *begin = me * each + (me < rest ? me : rest);
    *end = *begin + each + (me < rest);
}

static void laplacian(csr_matrix *A, int n)
{
    A->num_rows = n;
    A->i = TAlloc(int, n + 1);
    A->j = TAlloc(int, 5 * n);
    A->data = TAlloc(double, 5 * n);
#pragma omp parallel
    {
        int begin, end;
        partition(n, &begin, &end);
        for (int r = begin; r < end; r++) {
            const int offsets[5] = {-256, -1, 0, 1, 256};
            A->i[r] = 5 * r;
            for (int k = 0; k < 5; k++) {
                int column = r + offsets[k];
                A->j[5 * r + k] = column < 0 || column >= n ? r : column;
                A->data[5 * r + k] = k == 2 ? 0.5 : 0.1;
            }
        }
    }
    A->i[n] = 5 * n;
}

static void matvec(const csr_matrix *A, const double *x, double *y)
{
#pragma omp parallel
    {
        int begin, end;
        partition(A->num_rows, &begin, &end);
        for (int r = begin; r < end; r++) {
            double sum = 0;
            for (int k = A->i[r]; k < A->i[r + 1]; k++)
                sum += A->data[k] * x[A->j[k]];
            y[r] = sum;
        }
    }
}

int main(void)
{
    csr_matrix A;
    const int n = 80000;
    laplacian(&A, n);
    double *x = CTAlloc(double, n), *y = CTAlloc(double, n);
#pragma omp parallel for schedule(static)
    for (int r = 0; r < n; r++) {
        x[r] = r % 7;
        y[r] = 0;
    }
    for (int k = 0; k < 8; k++) {
        matvec(&A, x, y);
        matvec(&A, y, x);
    }
    printf("%.10f\n", x[n / 2]);
}
