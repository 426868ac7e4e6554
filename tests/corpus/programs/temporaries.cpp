// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: vectors by value: each operator makes a temporary that its constructor zeroes in main, then fills it in parallel
// fix: parts
#include <cstdio>
#include <vector>

class Vec {
public:
    explicit Vec(size_t n) : v(n) {}
    size_t size() const { return v.size(); }
    double &operator[](size_t i) { return v[i]; }
    double operator[](size_t i) const { return v[i]; }

private:
    std::vector<double> v;
};

static Vec operator+(const Vec &a, const Vec &b)
{
    Vec sum(a.size());
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < a.size(); i++)
        sum[i] = a[i] + b[i];
    return sum;
}

static Vec operator*(double s, const Vec &a)
{
    Vec product(a.size());
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < a.size(); i++)
        product[i] = s * a[i];
    return product;
}

int main()
{
    const size_t n = 1200000;
    Vec x(n), y(n);
    for (size_t i = 0; i < n; i++) {
        x[i] = double(i % 31);
        y[i] = double(i % 17);
    }
    for (int step = 0; step < 5; step++) {
        Vec z = 0.5 * x + 0.25 * y;
        x = 0.5 * z + 0.5 * y;
        y = 0.9 * z + 0.1 * x;
    }
    std::printf("%.6f %.6f\n", x[100], y[n - 7]);
}
