// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fourth
// truth: particles are structures in a std::vector that main sizes and sets; OpenMP divides them for each step
// fix: parts
#include <cstdio>
#include <vector>

struct Particle {
    double x, y, z, vx, vy, vz;
    float mass, charge;
};

class System {
public:
    explicit System(size_t count) : particles(count)
    {
        for (size_t i = 0; i < count; i++) {
            Particle &p = particles[i];
            p.x = double(i % 101);
            p.y = double(i % 37);
            p.z = double(i % 11);
            p.mass = 1.0f + float(i % 3);
            p.charge = i % 2 ? 1.0f : -1.0f;
        }
    }
    void move(double dt)
    {
        const long count = long(particles.size());
#pragma omp parallel for schedule(static)
        for (long i = 0; i < count; i++) {
            Particle &p = particles[size_t(i)];
            p.vx += dt * p.charge / p.mass;
            p.vy -= dt * p.x;
            p.x += dt * p.vx;
            p.y += dt * p.vy;
            p.z += dt * p.vz;
        }
    }
    double energy() const
    {
        double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (long i = 0; i < long(particles.size()); i++)
            sum += 0.5 * particles[size_t(i)].mass * particles[size_t(i)].vx * particles[size_t(i)].vx;
        return sum;
    }

private:
    std::vector<Particle> particles;
};

int main()
{
    System system(120000);
    double sum = 0;
    for (int step = 0; step < 6; step++) {
        system.move(0.01);
        sum += system.energy();
    }
    std::printf("%.6e\n", sum);
}
