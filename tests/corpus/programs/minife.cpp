// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: a matrix whose constructor makes its vectors in its initialiser list; main assembles, rows are divided
// fix: parts
#include <cstdio>
#include <vector>

template <typename Scalar, typename Ordinal> struct CSRMatrix {
    CSRMatrix(size_t rows, size_t per_row)
        : row_offsets(rows + 1), packed_cols(rows * per_row), packed_coefs(rows * per_row)
    {
    }
    std::vector<Ordinal> row_offsets, packed_cols;
    std::vector<Scalar> packed_coefs;
};

template <typename Matrix, typename Vector> void assemble(Matrix &A, Vector &b, int n)
{
    size_t at = 0;
    for (int row = 0; row < n; row++) {
        A.row_offsets[row] = (int)at;
        for (int k = -9; k < 9; k++) {
            A.packed_cols[at] = row + k < 0 ? 0 : row + k >= n ? n - 1 : row + k;
            A.packed_coefs[at++] = k == 0 ? 27 : -1;
        }
        b[row] = 1;
    }
    A.row_offsets[n] = (int)at;
}

template <typename Matrix, typename Vector> void matvec(const Matrix &A, const Vector &x, Vector &y)
{
    const int n = (int)A.row_offsets.size() - 1;
#pragma omp parallel for
    for (int row = 0; row < n; row++) {
        double sum = 0;
        for (int i = A.row_offsets[row]; i < A.row_offsets[row + 1]; i++)
            sum += A.packed_coefs[i] * x[A.packed_cols[i]];
        y[row] = sum;
    }
}

int main()
{
    int n = 28000;
    CSRMatrix<double, int> A(n, 18);
    std::vector<double> b(n), x(n), y(n);
    assemble(A, b, n);
    x = b;
    for (int it = 0; it < 14; it++) {
        matvec(A, x, y);
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[i] = (b[i] - y[i]) / 60 + x[i];
    }
    std::printf("%.8e\n", x[n / 2]);
}
