// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: a bump arena over one zeroed new char[] hands out the fields of a solver; main fills them; OpenMP divides them
// fix: parts
#include <cstddef>
#include <cstdio>
#include <memory>

class Arena {
public:
    explicit Arena(size_t bytes) : memory(new char[bytes]()), size(bytes) {}
    template <typename T> T *take(size_t count)
    {
        size_t begin = (used + 63) / 64 * 64;
        used = begin + count * sizeof(T);
        return used <= size ? reinterpret_cast<T *>(memory.get() + begin) : nullptr;
    }

private:
    std::unique_ptr<char[]> memory;
    size_t size, used = 0;
};

int main()
{
    const size_t n = 700000;
    Arena arena(4 * n * sizeof(double) + 4096);
    double *density = arena.take<double>(n), *velocity = arena.take<double>(n);
    double *energy = arena.take<double>(n), *flux = arena.take<double>(n);
    for (size_t i = 0; i < n; i++) {
        density[i] = 1.0 + double(i % 11);
        velocity[i] = double(i % 5) * 0.1;
        energy[i] = 2.5;
    }
    for (int step = 0; step < 6; step++) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; i++)
            flux[i] = density[i] * velocity[i] + 0.4 * energy[i];
#pragma omp parallel for schedule(static)
        for (size_t i = 1; i < n; i++) {
            density[i] -= 0.001 * (flux[i] - flux[i - 1]);
            energy[i] += 0.001 * velocity[i] * flux[i];
        }
    }
    std::printf("%.8f %.8f\n", density[n / 2], energy[n - 1]);
}
