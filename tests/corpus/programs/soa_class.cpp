// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: a class with one vector for each coordinate, resized and set by main through setters; methods divide the particles
// fix: parts
#include <cstddef>
#include <cstdio>
#include <vector>

class Particles {
public:
    explicit Particles(std::size_t n) { resize(n); }
    void resize(std::size_t n)
    {
        for (auto *each : {&x_, &y_, &z_, &vx_, &vy_, &vz_})
            each->resize(n);
    }
    std::size_t size() const { return x_.size(); }
    double &x(std::size_t i) { return x_[i]; }
    double &y(std::size_t i) { return y_[i]; }
    double &z(std::size_t i) { return z_[i]; }
    double &vx(std::size_t i) { return vx_[i]; }
    double &vy(std::size_t i) { return vy_[i]; }
    double &vz(std::size_t i) { return vz_[i]; }

private:
    std::vector<double> x_, y_, z_, vx_, vy_, vz_;
};

class Integrator {
public:
    Integrator(Particles &particles, double dt) : p_(particles), dt_(dt) {}
    void kick()
    {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < p_.size(); i++) {
            p_.vx(i) -= dt_ * p_.x(i);
            p_.vy(i) -= dt_ * p_.y(i);
            p_.vz(i) -= dt_ * p_.z(i);
        }
    }
    void drift()
    {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < p_.size(); i++) {
            p_.x(i) += dt_ * p_.vx(i);
            p_.y(i) += dt_ * p_.vy(i);
            p_.z(i) += dt_ * p_.vz(i);
        }
    }

private:
    Particles &p_;
    double dt_;
};

int main()
{
    Particles particles(200000);
    for (std::size_t i = 0; i < particles.size(); i++) {
        particles.x(i) = i % 17;
        particles.y(i) = i % 19;
        particles.z(i) = i % 23;
        particles.vx(i) = particles.vy(i) = particles.vz(i) = 0;
    }
    Integrator integrator(particles, 0.01);
    for (int step = 0; step < 14; step++) {
        integrator.kick();
        integrator.drift();
    }
    std::printf("%.6f %.6f\n", particles.x(777), particles.vz(199999));
}
