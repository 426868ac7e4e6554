// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fourteenth
// truth: psi, k, next and acc (7.3 MiB each) and pot (3.7 MiB) come from an allocator that leaves them unwritten, and are written first in parallel with the same static bounds with which the same threads use them in all steps
// fix: none
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

// Schroedinger equation in one dimension, fourth-order Runge-Kutta.

// allocator whose construct() leaves trivial values as they are
template <class T> struct Raw : std::allocator<T> {
    template <class U> struct rebind {
        using other = Raw<U>;
    };
    template <class U> void construct(U *) noexcept {}
    template <class U, class... A> void construct(U *p, A &&...a)
    {
        ::new (static_cast<void *>(p)) U(std::forward<A>(a)...);
    }
};

using cplx = std::complex<double>;
template <class T> using Field = std::vector<T, Raw<T>>;

class Packet {
public:
    Packet(long n, double dx) : n_(n), dx_(dx), psi_(n), k_(n), next_(n), acc_(n), pot_(n)
    {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n_; i++) {
            const double x = (i - n_ / 3) * dx_, e = std::exp(-x * x / 800.0);
            psi_[i] = cplx(e * std::cos(0.5 * x), e * std::sin(0.5 * x));
            k_[i] = next_[i] = acc_[i] = 0.0;
            pot_[i] = 0.02 * ((i >> 9) % 5);
        }
    }

    void step(double dt)
    {
        stage(psi_, k_, dt / 6.0, dt / 2.0, true);
        stage(k_, next_, dt / 3.0, dt / 2.0, false);
        stage(next_, k_, dt / 3.0, dt, false);
        stage(k_, next_, dt / 6.0, 0.0, false);
        psi_.swap(acc_);
    }

    double norm() const
    {
        double s = 0.0;
        for (const cplx &z : psi_)
            s += std::norm(z);
        return s * dx_;
    }

private:
    // acc += w * f(y); out = psi + h * f(y), with f = -i H
    void stage(const Field<cplx> &y, Field<cplx> &out, double w, double h, bool first)
    {
        const double c = 0.5 / (dx_ * dx_);
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n_; i++) {
            const cplx left = i > 0 ? y[i - 1] : cplx(), right = i + 1 < n_ ? y[i + 1] : cplx();
            const double re = pot_[i] * y[i].real() - c * (left.real() - 2.0 * y[i].real() + right.real());
            const double im = pot_[i] * y[i].imag() - c * (left.imag() - 2.0 * y[i].imag() + right.imag());
            const cplx f(im, -re);
            acc_[i] = (first ? psi_[i] : acc_[i]) + w * f;
            out[i] = psi_[i] + h * f;
        }
    }

    long n_;
    double dx_;
    Field<cplx> psi_, k_, next_, acc_;
    Field<double> pot_;
};

int main()
{
    Packet p(480000, 0.25);
    for (int s = 0; s < 88; s++)
        p.step(0.02);
    std::printf("norm %.8f\n", p.norm());
}
