// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: a CSR matrix whose vectors main reserves and fills by push_back; OpenMP divides the rows of the product
// fix: parts
#include <cstdio>
#include <vector>

template <typename T> class CsrMatrix {
public:
    CsrMatrix(int rows, int per_row) : m_rows(rows)
    {
        m_offsets.reserve(rows + 1);
        m_columns.reserve(size_t(rows) * per_row);
        m_values.reserve(size_t(rows) * per_row);
        m_offsets.push_back(0);
    }
    void add(int column, T value)
    {
        m_columns.push_back(column);
        m_values.push_back(value);
    }
    void end_row() { m_offsets.push_back(int(m_columns.size())); }
    int rows() const { return m_rows; }
    T row_times(int row, const std::vector<T> &x) const
    {
        T sum = 0;
        for (int k = m_offsets[row]; k < m_offsets[row + 1]; k++)
            sum += m_values[k] * x[m_columns[k]];
        return sum;
    }

private:
    int m_rows;
    std::vector<int> m_offsets, m_columns;
    std::vector<T> m_values;
};

int main()
{
    const int rows = 36000, per_row = 14;
    CsrMatrix<double> matrix(rows, per_row);
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < per_row; k++)
            matrix.add((r + k * 9) % rows, 1.0 / (k + 1));
        matrix.end_row();
    }
    std::vector<double> x(rows, 1.0), y(rows);
    for (int step = 0; step < 12; step++) {
#pragma omp parallel for
        for (int r = 0; r < matrix.rows(); r++)
            y[r] = matrix.row_times(r, x);
        std::swap(x, y);
    }
    std::printf("%.6e\n", x[7]);
}
