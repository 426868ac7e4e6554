// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: main writes all first (assemble and the Block constructor): values (12.1 MiB), columns (6.1 MiB) and the blocks of 4 vectors (5.4 MiB each); then each thread uses its own slices and rows (static, orphaned loops; neighbours within one grid line) in all 200 iterations
// fix: parts
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

// Chebyshev iteration for four right-hand sides; matrix in sliced ELLPACK form.

struct Free {
    void operator()(void *p) const { std::free(p); }
};
template <class T> using Buffer = std::unique_ptr<T[], Free>;

template <class T> Buffer<T> page_buffer(std::size_t n)
{
    void *p = std::aligned_alloc(4096, (n * sizeof(T) + 4095) / 4096 * 4096);
    if (!p)
        throw std::bad_alloc();
    return Buffer<T>(static_cast<T *>(p));
}

constexpr int kRhs = 4;

struct Block {
    Buffer<double> data;
    explicit Block(int rows) : data(page_buffer<double>(std::size_t(rows) * kRhs))
    {
        std::fill_n(data.get(), std::size_t(rows) * kRhs, 0.0);
    }
    double *operator[](int row) { return &data[std::size_t(row) * kRhs]; }
    const double *operator[](int row) const { return &data[std::size_t(row) * kRhs]; }
};

template <int C, int Width> class SellMatrix {
public:
    explicit SellMatrix(int side)
        : rows_(side * side), val_(page_buffer<double>(std::size_t(rows_) * Width)),
          col_(page_buffer<int>(std::size_t(rows_) * Width))
    {
        assemble(side);
    }
    int rows() const { return rows_; }

    // r = b - A x, to be called by all threads of a team
    void residual(const Block &b, const Block &x, Block &r) const
    {
#pragma omp for schedule(static)
        for (int s = 0; s < rows_ / C; s++)
            for (int lane = 0; lane < C; lane++) {
                const int row = s * C + lane;
                double sum[kRhs];
                for (int k = 0; k < kRhs; k++)
                    sum[k] = b[row][k];
                for (int j = 0; j < Width; j++) {
                    const std::size_t at = (std::size_t(s) * Width + j) * C + lane;
                    const double a = val_[at];
                    const double *xc = x[col_[at]];
                    for (int k = 0; k < kRhs; k++)
                        sum[k] -= a * xc[k];
                }
                for (int k = 0; k < kRhs; k++)
                    r[row][k] = sum[k];
            }
    }

private:
    void assemble(int side)
    {
        for (int row = 0; row < rows_; row++) {
            const int y = row / side, x = row % side;
            int j = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++, j++) {
                    const bool in = y + dy >= 0 && y + dy < side && x + dx >= 0 && x + dx < side;
                    const std::size_t at = (std::size_t(row / C) * Width + j) * C + row % C;
                    col_[at] = in ? row + dy * side + dx : row;
                    val_[at] = dy == 0 && dx == 0 ? 8.05 : in ? -1.0 : 0.0;
                }
        }
    }
    int rows_;
    Buffer<double> val_;
    Buffer<int> col_;
};

static void update(Block &x, Block &d, const Block &r, int rows, double beta, double alpha)
{
#pragma omp for schedule(static)
    for (int row = 0; row < rows; row++)
        for (int k = 0; k < kRhs; k++) {
            d[row][k] = beta * d[row][k] + alpha * r[row][k];
            x[row][k] += d[row][k];
        }
}

int main()
{
    const SellMatrix<8, 9> A(420);
    const int n = A.rows();
    Block x(n), b(n), r(n), d(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < kRhs; k++)
            b[i][k] = (i * (k + 3)) % 17 - 8;

    const double theta = 8.05, delta = 8.0, sigma = theta / delta;
#pragma omp parallel
    {
        double rho = 1.0 / sigma;
        for (int it = 0; it < 200; it++) {
            A.residual(b, x, r);
            if (it == 0) {
                update(x, d, r, n, 0.0, 1.0 / theta);
                continue;
            }
            const double next = 1.0 / (2.0 * sigma - rho);
            update(x, d, r, n, next * rho, 2.0 * next / delta);
            rho = next;
        }
    }
    for (int k = 0; k < kRhs; k++) {
        double s = 0.0;
        for (int i = 0; i < n; i++)
            s += x[i][k] * x[i][k];
        std::printf("norm of x[%d] %.6f\n", k, std::sqrt(s));
    }
}
