// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: particles in vaults, structures of a vector that main creates; a guided schedule hands them out, other ones each cycle
// fix: spread
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Vec3 {
    double x, y, z;
    Vec3 operator+(const Vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vec3 operator*(double s) const { return {x * s, y * s, z * s}; }
};

struct MC_Particle {
    Vec3 coordinate, velocity;
    double energy, weight, time_to_census;
    uint64_t seed;
    int domain, species;
};

class ParticleVault {
public:
    void reserve(size_t n) { particles.reserve(n); }
    void push(const MC_Particle &p) { particles.push_back(p); }
    MC_Particle &operator[](size_t i) { return particles[i]; }
    size_t size() const { return particles.size(); }

private:
    std::vector<MC_Particle> particles;
};

static double sample(uint64_t *seed)
{
    *seed = *seed * 2862933555777941757u + 3037000493u;
    return (double)(*seed >> 11) / (double)(1ull << 53);
}

static int track(MC_Particle &p)
{
    int segments = 0;
    p.time_to_census = 1;
    while (p.time_to_census > 0 && segments < 6) {
        double flight = 0.05 + sample(&p.seed);
        p.coordinate = p.coordinate + p.velocity * flight;
        p.energy *= 0.999;
        p.time_to_census -= flight;
        segments++;
    }
    return segments;
}

int main()
{
    ParticleVault vault;
    const size_t count = 50000;
    vault.reserve(count);
    for (size_t i = 0; i < count; i++) {
        MC_Particle p = {{0, 0, 0}, {1, double(i % 3), 0.5}, 1, 1, 0, i * 77 + 1, 0, 0};
        vault.push(p);
    }
    long segments = 0;
    for (int cycle = 0; cycle < 10; cycle++) {
#pragma omp parallel for schedule(guided) reduction(+ : segments)
        for (size_t i = 0; i < vault.size(); i++)
            segments += track(vault[i]);
    }
    std::printf("%ld %.9f\n", segments, vault[4711].energy);
}
