// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: vectors of a class over aligned_alloc, set by a forall of the serial policy, used by lambdas in a forall of OpenMP's
// fix: parts
#include <cstdio>
#include <cstdlib>
#include <new>

namespace portable {
struct Serial {};
struct Parallel {};

template <typename Body> void dispatch(Serial, int count, Body &&body)
{
    for (int i = 0; i < count; i++)
        body(i);
}

template <typename Body> void dispatch(Parallel, int count, Body &&body)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; i++)
        body(i);
}

template <typename Policy, typename Body> void forall(int count, Body &&body)
{
    dispatch(Policy(), count, body);
}
}

class Vector {
public:
    explicit Vector(int size) : length(size), data(allocate(size)) {}
    ~Vector() { std::free(data); }
    Vector(const Vector &) = delete;
    Vector &operator=(const Vector &) = delete;
    Vector &operator=(double value)
    {
        double *to = data;
        portable::forall<portable::Serial>(length, [=](int i) { to[i] = value; });
        return *this;
    }
    const double *Read() const { return data; }
    double *ReadWrite() { return data; }
    int Size() const { return length; }

private:
    static double *allocate(int size)
    {
        void *memory = std::aligned_alloc(64, (sizeof(double) * size + 63) / 64 * 64);
        if (!memory)
            throw std::bad_alloc();
        return static_cast<double *>(memory);
    }
    int length;
    double *data;
};

static void mass(const Vector &x, const Vector &quadrature, Vector &y)
{
    const double *from = x.Read(), *weight = quadrature.Read();
    double *to = y.ReadWrite();
    const int order = 8;
    portable::forall<portable::Parallel>(x.Size() / order, [=](int element) {
        for (int q = 0; q < order; q++) {
            double sum = 0;
            for (int d = 0; d < order; d++)
                sum += from[element * order + d] * (q == d ? 0.5 : 0.05);
            to[element * order + q] = sum * weight[element * order + q];
        }
    });
}

static void axpy(double a, const Vector &x, Vector &y)
{
    const double *from = x.Read();
    double *to = y.ReadWrite();
    portable::forall<portable::Parallel>(y.Size(), [=](int i) { to[i] += a * from[i]; });
}

int main()
{
    const int size = 8 * 36000;
    Vector velocity(size), force(size), quadrature(size);
    velocity = 1.0;
    force = 0.0;
    quadrature = 1.01;
    for (int step = 0; step < 10; step++) {
        mass(velocity, quadrature, force);
        axpy(-0.01, force, velocity);
    }
    std::printf("%.12f\n", velocity.Read()[4711]);
}
