// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fourth
// truth: a forest of two kinds of trees, each an object of a class derived from Stand; the columns of a stand (five of conifers, four of broadleaves, 1.25 MiB each) lie behind each other in one block that std::make_unique in Stand's constructor, run by main, zeroes (6.25 and 5 MiB), and plant() of main fills; eight std::threads, kept by a barrier, grow the same eighth of every column in all years, through virtual functions; half of the requests are remote, nearly all of them would go if each thread's part of each column lay on its node
// fix: parts
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Stand {
public:
    Stand(std::size_t cohorts, std::size_t columns)
        : cohorts_(cohorts), block_(std::make_unique<double[]>(cohorts * columns))
    {
    }
    virtual ~Stand() = default;
    virtual void plant() = 0;
    virtual void grow(std::size_t first, std::size_t last, double rain) = 0;
    virtual double carbon() const = 0;
    std::size_t size() const { return cohorts_; }

protected:
    double *column(std::size_t number) { return block_.get() + number * cohorts_; }
    const double *column(std::size_t number) const { return block_.get() + number * cohorts_; }

private:
    std::size_t cohorts_;
    std::unique_ptr<double[]> block_;
};

class Conifers : public Stand {
public:
    enum { DIAMETER, HEIGHT, STEMS, NEEDLES, WOOD, COLUMNS };
    explicit Conifers(std::size_t cohorts) : Stand(cohorts, COLUMNS) {}
    void plant() override
    {
        for (std::size_t i = 0; i < size(); i++) {
            column(DIAMETER)[i] = 2 + 0.01 * static_cast<double>(i % 900);
            column(HEIGHT)[i] = 1.3 + 0.5 * column(DIAMETER)[i];
            column(STEMS)[i] = 400 - static_cast<double>(i % 37);
            column(NEEDLES)[i] = 0.2;
        }
    }
    void grow(std::size_t first, std::size_t last, double rain) override
    {
        double *d = column(DIAMETER), *h = column(HEIGHT), *n = column(STEMS), *leaf = column(NEEDLES);
        double *wood = column(WOOD);
        for (std::size_t i = first; i < last; i++) {
            leaf[i] = 0.75 * leaf[i] + 0.02 * d[i] * rain; // needles stay four years
            d[i] += 0.4 * leaf[i] * (1 - d[i] / 90);
            h[i] += 0.1 * (35 - h[i]) * leaf[i] / (1 + leaf[i]);
            n[i] *= 1 - 2e-4 * d[i];
            wood[i] = 4e-5 * d[i] * d[i] * h[i] * n[i];
        }
    }
    double carbon() const override
    {
        double sum = 0;
        for (std::size_t i = 0; i < size(); i += 32)
            sum += column(WOOD)[i];
        return sum;
    }
};

class Broadleaves : public Stand {
public:
    enum { DIAMETER, HEIGHT, STEMS, WOOD, COLUMNS };
    explicit Broadleaves(std::size_t cohorts) : Stand(cohorts, COLUMNS) {}
    void plant() override
    {
        for (std::size_t i = 0; i < size(); i++) {
            column(DIAMETER)[i] = 1 + 0.02 * static_cast<double>(i % 500);
            column(HEIGHT)[i] = 1.3 + 0.7 * column(DIAMETER)[i];
            column(STEMS)[i] = 300;
        }
    }
    void grow(std::size_t first, std::size_t last, double rain) override
    {
        double *d = column(DIAMETER), *h = column(HEIGHT), *n = column(STEMS), *wood = column(WOOD);
        for (std::size_t i = first; i < last; i++) {
            const double leaf = 0.05 * d[i] * std::min(rain, 1.0);
            d[i] += 0.3 * leaf * (1 - d[i] / 110);
            h[i] += 0.08 * (30 - h[i]) * leaf / (2 + leaf);
            n[i] *= 1 - 1.5e-4 * d[i];
            wood[i] = 5e-5 * d[i] * d[i] * h[i] * n[i];
        }
    }
    double carbon() const override
    {
        double sum = 0;
        for (std::size_t i = 0; i < size(); i += 32)
            sum += 1.2 * column(WOOD)[i];
        return sum;
    }
};

class Barrier {
public:
    explicit Barrier(unsigned count) : count_(count) {}
    template <class Last> void wait(Last last)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const unsigned mine = year_;
        if (++here_ < count_) {
            all_.wait(lock, [&] { return year_ != mine; });
            return;
        }
        last();
        here_ = 0;
        year_++;
        all_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable all_;
    unsigned count_, here_ = 0, year_ = 0;
};

int main()
{
    constexpr std::size_t cohorts = 5 << 15;
    constexpr unsigned workers = 8;
    std::vector<std::unique_ptr<Stand>> forest;
    forest.push_back(std::make_unique<Conifers>(cohorts));
    forest.push_back(std::make_unique<Broadleaves>(cohorts));
    for (auto &stand : forest)
        stand->plant();

    Barrier barrier(workers);
    double rain = 0.8;
    int year = 0;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < workers; t++)
        threads.emplace_back([&, t] {
            for (int mine = 0; mine < 18; mine++) {
                for (auto &stand : forest)
                    stand->grow(stand->size() * t / workers, stand->size() * (t + 1) / workers, rain);
                barrier.wait([&] { rain = 0.8 + 0.4 * std::sin(0.7 * ++year); });
            }
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("carbon %.3f %.3f\n", forest[0]->carbon(), forest[1]->carbon());
}
