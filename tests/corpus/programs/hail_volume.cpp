// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-second
// truth: a loader, a std::thread that ends before the work starts, resizes the three vectors of a radar volume (4 MiB each: resize touches them first, on the loader's node) and decodes gates into them; then eight std::threads, started once, each use the same block of rays in all iterations; a table of attenuation (4 KiB) stays in the caches
// fix: parts
#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

struct Volume {
    std::vector<float> reflectivity, differential, hail;
    std::size_t rays = 0, gates = 0;
};

class Loader {
public:
    Loader(std::size_t rays, std::size_t gates) : rays_(rays), gates_(gates) {}

    void operator()(Volume &volume, std::exception_ptr &error) const
    {
        try {
            volume.rays = rays_;
            volume.gates = gates_;
            volume.reflectivity.resize(rays_ * gates_);
            volume.differential.resize(rays_ * gates_);
            volume.hail.resize(rays_ * gates_);
            decode(volume);
        } catch (...) {
            error = std::current_exception();
        }
    }

private:
    void decode(Volume &volume) const
    {
        std::uint32_t word = 99;
        for (std::size_t i = 0; i < rays_ * gates_; i++) {
            word = word * 1664525u + 1013904223u;
            volume.reflectivity[i] = -32 + 0.5f * float(word >> 24);
            volume.differential[i] = -2 + float(word >> 16 & 0xff) / 32;
        }
    }

    std::size_t rays_, gates_;
};

class Rendezvous {
public:
    explicit Rendezvous(int count) : count_(count) {}
    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const int turn = turn_;
        if (++here_ == count_) {
            here_ = 0;
            turn_++;
            all_.notify_all();
        } else {
            all_.wait(lock, [&] { return turn != turn_; });
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable all_;
    int count_, here_ = 0, turn_ = 0;
};

class Retrieval {
public:
    explicit Retrieval(Volume &volume) : volume_(volume)
    {
        for (std::size_t i = 0; i < attenuation_.size(); i++)
            attenuation_[i] = 1e-4f * std::pow(1.004f, float(i));
    }

    void block(std::size_t first, std::size_t last)
    {
        for (std::size_t ray = first; ray < last; ray++) {
            float path = 0;
            for (std::size_t gate = 0; gate < volume_.gates; gate++) {
                const std::size_t at = ray * volume_.gates + gate;
                const float z = volume_.reflectivity[at] + path;
                const int bin = std::clamp(int(8 * (z + 32)), 0, 1023);
                path = 0.9f * path + attenuation_[std::size_t(bin)];
                volume_.hail[at] += 0.1f * (std::max(0.0f, z - 50) - 0.5f * volume_.differential[at]);
                volume_.differential[at] *= 0.995f;
            }
        }
    }

private:
    Volume &volume_;
    std::array<float, 1024> attenuation_;
};

int main()
{
    Volume volume;
    std::exception_ptr error;
    std::thread loader(Loader(1024, 1024), std::ref(volume), std::ref(error));
    loader.join();
    if (error)
        std::rethrow_exception(error);
    Retrieval retrieval(volume);
    Rendezvous rendezvous(8);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 8; t++)
        threads.emplace_back([&, t] {
            for (int iteration = 0; iteration < 16; iteration++) {
                retrieval.block(volume.rays * t / 8, volume.rays * (t + 1) / 8);
                rendezvous.wait();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    double sum = 0;
    for (std::size_t ray = 0; ray < volume.rays; ray += 16)
        sum += volume.hail[ray * volume.gates + volume.gates / 2];
    std::printf("hail %.4f\n", sum);
    return 0;
}
