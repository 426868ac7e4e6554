// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fifth
// truth: lava on a slope of 96 x 2048 cells: main touches all arrays first, in the constructor of Slope: std::vector zeroes ground_, depth_ and heat_ (1.5 MiB each), std::make_unique zeroes the flows east_ and south_ and crust_ (1.5 MiB each; 9 MiB in all), and survey(), of main too, writes the ground and the vents; afterwards main and seven std::threads use the same blocks in all steps, in a decomposition of two dimensions: worker t has the rows of band t % 4 (24 rows) and the left (t < 4) or right half of each of them, so every row (16 KiB) belongs to two threads, two pages each, of the two nodes: workers 0 to 3 (left) run on node 0 if threads are pinned in order; a block's first row and column is read by its neighbours; half of the requests are remote, nearly all of them would go if each worker touched its block of each array first; plain parts of the arrays by thread order would not do it, the halves of the rows matter
// fix: parts
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Block {
    std::size_t top, bottom, left, right;
};

class Slope {
public:
    Slope(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), ground_(rows * columns), depth_(rows * columns), heat_(rows * columns),
          east_(std::make_unique<double[]>(rows * columns)), south_(std::make_unique<double[]>(rows * columns)),
          crust_(std::make_unique<double[]>(rows * columns))
    {
        survey();
    }

    Block block(unsigned worker, unsigned bands, unsigned sides) const
    {
        const std::size_t band = worker % bands, side = worker / bands;
        return {rows_ * band / bands, rows_ * (band + 1) / bands, columns_ * side / sides, columns_ * (side + 1) / sides};
    }

    // What runs over the eastern and southern border of each cell.
    void flow(const Block &b)
    {
        for (std::size_t r = b.top; r < b.bottom; r++)
            for (std::size_t c = b.left; c < b.right; c++) {
                const std::size_t i = r * columns_ + c;
                east_[i] = c + 1 < columns_ ? over(i, i + 1) : 0;
                south_[i] = r + 1 < rows_ ? over(i, i + columns_) : 0;
            }
    }

    void settle(const Block &b, double supply)
    {
        for (std::size_t r = b.top; r < b.bottom; r++)
            for (std::size_t c = b.left; c < b.right; c++) {
                const std::size_t i = r * columns_ + c;
                const double in = (c > 0 ? east_[i - 1] : 0) + (r > 0 ? south_[i - columns_] : 0);
                const double out = east_[i] + south_[i];
                depth_[i] = std::max(0.0, depth_[i] + in - out + (vent(r, c) ? supply : 0));
                heat_[i] += std::abs(in) * (1100 - heat_[i]) * 0.2 / (depth_[i] + 0.5);
                heat_[i] -= 1e-10 * heat_[i] * heat_[i] * heat_[i] / (0.2 + crust_[i]);
                crust_[i] += heat_[i] < 700 ? 0.01 * depth_[i] : -0.05 * crust_[i];
            }
    }

    double covered() const
    {
        std::size_t count = 0;
        for (std::size_t i = 0; i < depth_.size(); i += 8)
            count += depth_[i] > 0.1;
        return 8.0 * static_cast<double>(count) / static_cast<double>(depth_.size());
    }

private:
    bool vent(std::size_t r, std::size_t c) const { return r % 32 == 5 && c % 128 < 16; }

    double over(std::size_t i, std::size_t j) const
    {
        const double drop = ground_[i] + depth_[i] - ground_[j] - depth_[j];
        const std::size_t from = drop > 0 ? i : j;
        const double thick = depth_[from], soft = heat_[from] / (heat_[from] + 400 * (1 + crust_[from]));
        const double most = 0.2 * thick;
        return std::clamp(0.12 * drop * thick * soft, -most, most);
    }

    void survey()
    {
        for (std::size_t r = 0; r < rows_; r++)
            for (std::size_t c = 0; c < columns_; c++) {
                const std::size_t i = r * columns_ + c;
                const double x = static_cast<double>(c), y = static_cast<double>(r);
                ground_[i] = 120 - 0.05 * x - 0.2 * y + 1.5 * std::sin(0.11 * x) * std::cos(0.3 * y);
                depth_[i] = vent(r, c) ? 4 : 0.05;
                heat_[i] = vent(r, c) ? 1150 : 300;
            }
    }

    std::size_t rows_, columns_;
    std::vector<double> ground_, depth_, heat_;
    std::unique_ptr<double[]> east_, south_, crust_;
};

class Meeting {
public:
    explicit Meeting(unsigned members) : members_(members) {}
    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const unsigned mine = round_;
        if (++here_ == members_) {
            here_ = 0;
            round_++;
            all_.notify_all();
        } else {
            all_.wait(lock, [&] { return round_ != mine; });
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable all_;
    unsigned members_, here_ = 0, round_ = 0;
};

int main()
{
    constexpr unsigned bands = 4, sides = 2;
    Slope slope(96, 2048);
    Meeting meeting(bands * sides);

    const auto erupt = [&](unsigned worker) {
        const Block mine = slope.block(worker, bands, sides);
        for (int step = 0; step < 40; step++) {
            slope.flow(mine);
            meeting.wait();
            slope.settle(mine, step < 30 ? 0.4 : 0);
            meeting.wait();
        }
    };
    std::vector<std::thread> others;
    for (unsigned worker = 1; worker < bands * sides; worker++)
        others.emplace_back(erupt, worker);
    erupt(0);
    for (auto &thread : others)
        thread.join();
    std::printf("covered %.5f\n", slope.covered());
}
