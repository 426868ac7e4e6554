// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: main makes and fills signals and spectra; each async task transforms its contiguous batch repeatedly
// fix: parts
#include <cmath>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

struct Complex {
    double re = 0, im = 0;
};

static Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
static Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
static Complex operator*(Complex a, Complex b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

class Plan {
public:
    explicit Plan(size_t n) : n_(n), root_(n / 2), turned_(n)
    {
        for (size_t k = 0; k < n / 2; k++)
            root_[k] = {std::cos(2 * M_PI * k / n), -std::sin(2 * M_PI * k / n)};
        for (size_t i = 1; i < n; i++)
            turned_[i] = turned_[i / 2] / 2 + (i % 2 ? n / 2 : 0);
    }

    void forward(const Complex *from, Complex *to) const { run(from, to, 1); }
    void backward(const Complex *from, Complex *to) const { run(from, to, -1); }
    size_t size() const { return n_; }

private:
    size_t n_;
    std::vector<Complex> root_;
    std::vector<size_t> turned_;

    void run(const Complex *from, Complex *to, double sign) const
    {
        for (size_t i = 0; i < n_; i++)
            to[turned_[i]] = from[i];
        for (size_t half = 1; half < n_; half *= 2)
            for (size_t i = 0; i < n_; i += 2 * half)
                for (size_t k = 0; k < half; k++) {
                    Complex w = root_[k * (n_ / 2 / half)];
                    w.im *= sign;
                    Complex u = to[i + k], v = w * to[i + k + half];
                    to[i + k] = u + v;
                    to[i + k + half] = u - v;
                }
    }
};

// Takes the upper half of the band out of some signals, slowly.
static void filter(const Plan &plan, Complex *signals, Complex *spectra, size_t first, size_t last)
{
    const size_t n = plan.size();
    for (int round = 0; round < 3; round++) {
        for (size_t s = first; s < last; s++)
            plan.forward(signals + s * n, spectra + s * n);
        for (size_t s = first; s < last; s++)
            for (size_t k = n / 4; k < n - n / 4; k++)
                spectra[s * n + k] = Complex{spectra[s * n + k].re * 0.5, spectra[s * n + k].im * 0.5};
        for (size_t s = first; s < last; s++)
            plan.backward(spectra + s * n, signals + s * n);
        for (size_t i = first * n; i < last * n; i++)
            signals[i] = Complex{signals[i].re / n, signals[i].im / n};
    }
}

int main()
{
    const Plan plan(16);
    const size_t count = 16384, tasks = 8, n = plan.size();
    auto signals = std::make_unique<Complex[]>(count * n), spectra = std::make_unique<Complex[]>(count * n);
    for (size_t i = 0; i < count * n; i++)
        signals[i].re = i * 29 % 64 - 31.5;
    std::vector<std::future<void>> batches;
    for (size_t t = 0; t < tasks; t++) {
        size_t first = count * t / tasks, last = count * (t + 1) / tasks;
        batches.push_back(std::async(std::launch::async, filter, std::cref(plan), signals.get(),
                                     spectra.get(), first, last));
    }
    for (auto &batch : batches)
        batch.get();
    std::printf("%.3f %.3f %.3f\n", signals[5].re, signals[count * n - 9].re, signals[count * n / 2].im);
}
