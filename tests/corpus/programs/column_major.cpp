// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: a matrix class in column order over new double[]; main assembles it through operator(); columns are divided
// fix: parts
#include <cmath>
#include <cstdio>

class Matrix {
public:
    Matrix(int rows, int cols) : rows_(rows), cols_(cols), data_(new double[size_t(rows) * cols]) {}
    ~Matrix() { delete[] data_; }
    Matrix(const Matrix &) = delete;
    double &operator()(int i, int j) { return data_[size_t(j) * rows_ + i]; }
    double operator()(int i, int j) const { return data_[size_t(j) * rows_ + i]; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }

private:
    int rows_, cols_;
    double *data_;
};

static void scale_columns(Matrix &a)
{
#pragma omp parallel for schedule(static)
    for (int j = 0; j < a.cols(); j++) {
        double norm = 0;
        for (int i = 0; i < a.rows(); i++)
            norm += a(i, j) * a(i, j);
        norm = 1 / std::sqrt(norm);
        for (int i = 0; i < a.rows(); i++)
            a(i, j) *= norm;
    }
}

static void accumulate(Matrix &sum, const Matrix &a)
{
#pragma omp parallel for schedule(static)
    for (int j = 0; j < a.cols(); j++)
        for (int i = 0; i < a.rows(); i++)
            sum(i, j) += a(i, j);
}

int main()
{
    Matrix a(1500, 800), sum(1500, 800);
    for (int j = 0; j < a.cols(); j++)
        for (int i = 0; i < a.rows(); i++) {
            a(i, j) = 1.0 / (1 + (i + 3 * j) % 101);
            sum(i, j) = 0;
        }
    for (int step = 0; step < 4; step++) {
        scale_columns(a);
        accumulate(sum, a);
    }
    std::printf("%.8f\n", sum(10, 20));
}
