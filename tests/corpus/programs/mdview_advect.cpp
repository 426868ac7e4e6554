// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: fields are unique_ptrs behind a class of views of three dimensions that main sets; eight workers of a pool each get the same slab of planes of all fields in every step
// fix: parts
#include <array>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

template <class T, std::size_t Rank> class View {
public:
    View(T *data, std::array<std::size_t, Rank> extents) : data(data), extents(extents) {}

    template <class... Index> T &operator()(Index... index) const
    {
        static_assert(sizeof...(Index) == Rank);
        std::size_t at = 0, dimension = 0;
        ((at = at * extents[dimension++] + static_cast<std::size_t>(index)), ...);
        return data[at];
    }

    std::size_t extent(std::size_t dimension) const { return extents[dimension]; }

private:
    T *data;
    std::array<std::size_t, Rank> extents;
};

template <class T> class Field {
public:
    Field(std::size_t nz, std::size_t ny, std::size_t nx) : store(new T[nz * ny * nx]), shape{nz, ny, nx} {}

    View<T, 3> view() { return {store.get(), shape}; }
    View<const T, 3> view() const { return {store.get(), shape}; }

private:
    std::unique_ptr<T[]> store;
    std::array<std::size_t, 3> shape;
};

class Pool {
public:
    explicit Pool(unsigned size) : size(size)
    {
        for (unsigned id = 0; id < size; id++)
            workers.emplace_back([this, id] { work(id); });
    }

    ~Pool()
    {
        {
            std::lock_guard<std::mutex> hold(lock);
            stopping = true;
        }
        changed.notify_all();
        for (std::thread &worker : workers)
            worker.join();
    }

    void ranges(std::size_t from, std::size_t to, std::function<void(std::size_t, std::size_t)> body)
    {
        std::unique_lock<std::mutex> hold(lock);
        job = std::move(body);
        begin = from;
        end = to;
        left = size;
        ++round;
        changed.notify_all();
        finished.wait(hold, [this] { return left == 0; });
    }

private:
    void work(unsigned id)
    {
        long seen = 0;
        std::unique_lock<std::mutex> hold(lock);
        for (;;) {
            changed.wait(hold, [&] { return stopping || round != seen; });
            if (stopping)
                return;
            seen = round;
            const std::size_t n = end - begin;
            const std::size_t from = begin + n * id / size, to = begin + n * (id + 1) / size;
            hold.unlock();
            job(from, to);
            hold.lock();
            if (--left == 0)
                finished.notify_one();
        }
    }

    unsigned size, left = 0;
    std::vector<std::thread> workers;
    std::mutex lock;
    std::condition_variable changed, finished;
    std::function<void(std::size_t, std::size_t)> job;
    std::size_t begin = 0, end = 0;
    long round = 0;
    bool stopping = false;
};

static void advect(View<const double, 3> from, View<const float, 3> wind, View<double, 3> to, std::size_t low, std::size_t high)
{
    for (std::size_t z = low; z < high; z++)
        for (std::size_t y = 1; y + 1 < from.extent(1); y++)
            for (std::size_t x = 1; x + 1 < from.extent(2); x++) {
                const double w = wind(z, y, x);
                to(z, y, x) = from(z, y, x) - w * (from(z, y, x) - from(z, y, x - 1)) - 0.5 * w * (from(z, y, x) - from(z, y - 1, x)) -
                              0.25 * w * (from(z, y, x) - from(z - 1, y, x));
            }
}

int main()
{
    constexpr std::size_t nz = 80, ny = 72, nx = 80;
    Field<double> tracer(nz, ny, nx), next(nz, ny, nx);
    Field<float> wind(nz, ny, nx);
    auto t = tracer.view(), u = next.view();
    auto w = wind.view();
    for (std::size_t z = 0; z < nz; z++)
        for (std::size_t y = 0; y < ny; y++)
            for (std::size_t x = 0; x < nx; x++) {
                t(z, y, x) = u(z, y, x) = 1.0 + static_cast<double>((x / 8 + y / 8 + z / 8) % 7);
                w(z, y, x) = 0.01f * static_cast<float>(1 + (x + 2 * y + 3 * z) % 29);
            }
    {
        Pool pool(8);
        for (int step = 0; step < 10; step++) {
            pool.ranges(1, nz - 1, [&](std::size_t low, std::size_t high) {
                advect(std::as_const(tracer).view(), std::as_const(wind).view(), next.view(), low, high);
            });
            std::swap(tracer, next);
        }
    }
    double line = 0;
    for (std::size_t x = 0; x < nx; x++)
        line += tracer.view()(nz / 2, ny / 2, x);
    std::printf("%.9f %.9f\n", line, tracer.view()(nz - 2, ny - 2, nx - 2));
}
