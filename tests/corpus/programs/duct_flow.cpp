// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, nineteenth
// std: c++20
// truth: main makes three fields, whose classes share a base with the values (a vector of 8 MiB each, set to one value by the base's constructor), and main sets the start state of two through a virtual function; eight std::jthreads step bands of rows between barriers
// fix: parts
#include <array>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace duct {

class Field {
public:
    Field(std::string name, int rows, int columns, double value)
        : name_(std::move(name)), rows_(rows), columns_(columns), values_(std::size_t(rows) * columns, value)
    {
    }
    virtual ~Field() = default;
    virtual void start() = 0;

    std::span<double> row(int y) { return std::span(values_).subspan(std::size_t(y) * columns_, columns_); }
    std::span<const double> row(int y) const
    {
        return std::span(values_).subspan(std::size_t(y) * columns_, columns_);
    }
    int rows() const { return rows_; }
    int columns() const { return columns_; }

protected:
    std::string name_;
    int rows_, columns_;
    std::vector<double> values_;
};

class Pressure : public Field {
public:
    Pressure(int rows, int columns) : Field("pressure", rows, columns, 1.0) {}

    void start() override
    {
        for (int y = 0; y < rows_; y++)
            for (double &value : row(y))
                value = 1.0 + 0.001 * (y % 17);
    }
};

class Speed : public Field {
public:
    Speed(int rows, int columns, double inflow) : Field("speed", rows, columns, 0.0), inflow_(inflow) {}

    void start() override
    {
        for (int y = 0; y < rows_; y++) {
            const double bend = 4.0 * y * (rows_ - y) / (double(rows_) * rows_);
            for (double &value : row(y))
                value = inflow_ * bend;
        }
    }

private:
    double inflow_;
};

class Density : public Field {
public:
    Density(int rows, int columns) : Field("density", rows, columns, 1.2) {}
    void start() override {}
};

class Solver {
public:
    Solver(int rows, int columns)
        : fields_{std::make_unique<Pressure>(rows, columns), std::make_unique<Speed>(rows, columns, 0.3),
                  std::make_unique<Density>(rows, columns)}
    {
        for (auto &field : fields_)
            field->start();
    }

    void run(int threads, int steps)
    {
        std::barrier sync(threads);
        std::vector<std::jthread> team;
        const int rows = fields_[0]->rows();
        for (int t = 0; t < threads; t++)
            team.emplace_back([this, &sync, rows, threads, steps, t] {
                const int first = rows * t / threads, last = rows * (t + 1) / threads;
                for (int step = 0; step < steps; step++) {
                    accelerate(first, last);
                    sync.arrive_and_wait();
                    compress(first, last);
                    sync.arrive_and_wait();
                }
            });
    }

    double flux() const
    {
        double sum = 0;
        for (int y = 0; y < fields_[1]->rows(); y++)
            sum += std::as_const(*fields_[1]).row(y)[1000] * std::as_const(*fields_[2]).row(y)[1000];
        return sum;
    }

private:
    void accelerate(int first, int last)
    {
        for (int y = first; y < last; y++) {
            auto p = fields_[0]->row(y), u = fields_[1]->row(y), d = fields_[2]->row(y);
            for (std::size_t x = 1; x < u.size(); x++)
                u[x] -= 0.1 * (p[x] - p[x - 1]) / d[x];
        }
    }

    void compress(int first, int last)
    {
        for (int y = first; y < last; y++) {
            auto p = fields_[0]->row(y), u = fields_[1]->row(y), d = fields_[2]->row(y);
            for (std::size_t x = 0; x + 1 < u.size(); x++) {
                const double out = u[x + 1] - u[x];
                p[x] -= 0.05 * out;
                d[x] -= 0.02 * out * d[x];
            }
        }
    }

    std::array<std::unique_ptr<Field>, 3> fields_;
};

} // namespace duct

int main()
{
    duct::Solver solver(1024, 1024);
    solver.run(8, 36);
    std::printf("%.8f\n", solver.flux());
    return 0;
}
