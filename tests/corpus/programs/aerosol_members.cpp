// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-second
// truth: main makes one prototype of a plume (a class over new float[], 2 MiB) and a vector of eight copies of it: the copy constructor allocates and std::copy in it touches each copy first, on main's node; member i (all its pages) is then used by std::thread i alone, in all steps
// fix: parts
// std: c++20
#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

class Plume {
public:
    Plume(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), mass_(new float[rows * columns])
    {
        if (rows < 3 || columns < 3)
            throw std::invalid_argument("too small");
        std::fill(mass_, mass_ + rows * columns, 0.0f);
        for (std::size_t r = rows / 3; r < rows / 2; r++)
            for (std::size_t c = columns / 4; c < columns / 2; c++)
                at(r, c) = 1 + 0.01f * float((r * c) % 13);
    }

    Plume(const Plume &other)
        : rows_(other.rows_), columns_(other.columns_), mass_(new float[other.rows_ * other.columns_])
    {
        std::copy(other.mass_, other.mass_ + rows_ * columns_, mass_);
    }

    Plume &operator=(const Plume &) = delete;
    ~Plume() { delete[] mass_; }

    float &at(std::size_t row, std::size_t column) { return mass_[row * columns_ + column]; }

    void perturb(unsigned seed)
    {
        east_ = 0.2f + 0.02f * float(seed % 5);
        south_ = 0.1f + 0.03f * float(seed % 3);
    }

    /* Upwind, in place, from the last cell to the first. */
    void step()
    {
        for (std::size_t r = rows_ - 1; r > 0; r--) {
            float *row = mass_ + r * columns_;
            const float *above = row - columns_;
            for (std::size_t c = columns_ - 1; c > 0; c--)
                row[c] += east_ * (row[c - 1] - row[c]) + south_ * (above[c] - row[c]);
        }
    }

    double total() const
    {
        double sum = 0;
        for (std::size_t i = 0; i < rows_ * columns_; i++)
            sum += mass_[i];
        return sum;
    }

private:
    std::size_t rows_, columns_;
    float *mass_;
    float east_ = 0, south_ = 0;
};

class Ensemble {
public:
    Ensemble(const Plume &prototype, std::size_t members) : members_(members, prototype), totals_(members)
    {
        for (std::size_t i = 0; i < members; i++)
            members_[i].perturb(unsigned(i));
    }

    void run(int steps)
    {
        std::barrier together(std::ptrdiff_t(members_.size()));
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < members_.size(); i++)
            threads.emplace_back([&, i] {
                for (int s = 0; s < steps; s++) {
                    members_[i].step();
                    together.arrive_and_wait();
                }
                totals_[i] = members_[i].total();
            });
        for (std::thread &thread : threads)
            thread.join();
    }

    double mean() const
    {
        double sum = 0;
        for (double total : totals_)
            sum += total;
        return sum / double(totals_.size());
    }

private:
    std::vector<Plume> members_;
    std::vector<double> totals_;
};

int main()
{
    try {
        Plume prototype(512, 1024);
        Ensemble ensemble(prototype, 8);
        ensemble.run(24);
        std::printf("mean mass %.4f of %.4f\n", ensemble.mean(), prototype.total());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
