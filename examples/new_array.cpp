// SPDX-License-Identifier: Apache-2.0
// An array from operator new, filled by the constructor of the class that owns it; the workers are std::threads:
//     new_array [SWEEPS [MIB]]
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

class Field {
public:
    explicit Field(std::size_t count) : values(new double[count])
    {
        for (std::size_t i = 0; i < count; i++)
            values[i] = static_cast<double>(i % 16);
    }
    ~Field() { delete[] values; }
    Field(const Field &) = delete;
    Field &operator=(const Field &) = delete;
    double sum(std::size_t from, std::size_t to) const { return std::accumulate(values + from, values + to, 0.0); }

private:
    double *values;
};

int main(int argc, char **argv)
{
    const int sweeps = argc > 1 ? std::atoi(argv[1]) : 40;
    const std::size_t mib = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 512, count = (mib << 20) / sizeof(double);
    const std::size_t threads = std::thread::hardware_concurrency();
    const Field field(count);
    std::vector<double> sums(threads);
    std::vector<std::thread> workers;

    for (std::size_t t = 0; t < threads; t++)
        workers.emplace_back([&, t] {
            double sum = 0;
            for (int sweep = 0; sweep < sweeps; sweep++)
                sum += field.sum(count * t / threads, count * (t + 1) / threads);
            sums[t] = sum;
        });
    for (std::thread &worker : workers)
        worker.join();
    std::printf("sum %g: %d sweeps of %zu MiB\n", std::accumulate(sums.begin(), sums.end(), 0.0), sweeps, mib);
}
