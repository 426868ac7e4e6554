// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, sixteenth
// truth: the constructors of six planes (3.5 MiB each, 21 MiB) fill them with black in main; afterwards each OpenMP thread decodes and filters the same band of rows (four tiles, collapse(2)) of every plane, half of the bands remote
// fix: parts
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

// Temporal denoising of film scans: a ring of five frames, each output frame from all of them.

template <typename T> class Plane {
public:
    Plane(int width, int height, T black) : width_(width), height_(height), data_(new T[std::size_t(width) * height])
    {
        std::fill(data_.get(), data_.get() + std::size_t(width) * height, black);
    }
    T *row(int y) const { return data_.get() + std::size_t(y) * width_; }
    int width() const { return width_; }
    int height() const { return height_; }

private:
    int width_, height_;
    std::unique_ptr<T[]> data_;
};

struct Tile { int x0, x1, y0, y1; };

template <typename T> class Denoiser {
public:
    static constexpr int kRing = 5, kBands = 8, kColumns = 4;

    Denoiser(int width, int height) : out_(width, height, T(0.0625))
    {
        for (int i = 0; i < kRing; i++)
            ring_.emplace_back(width, height, T(0.0625));
    }

    void push(int number)
    {
#pragma omp parallel for collapse(2) schedule(static)
        for (int band = 0; band < kBands; band++)
            for (int column = 0; column < kColumns; column++)
                decode(ring_[number % kRing], tile(band, column), number);
    }

    void filter(int number)
    {
#pragma omp parallel for collapse(2) schedule(static)
        for (int band = 0; band < kBands; band++)
            for (int column = 0; column < kColumns; column++)
                blend(ring_[number % kRing], tile(band, column));
    }

    long brightness() const
    {
        long sum = 0;
        for (int y = 0; y < out_.height(); y++)
            for (int x = 0; x < out_.width(); x++)
                sum += std::lround(out_.row(y)[x] * 255);
        return sum / 100;
    }

private:
    Plane<T> out_;
    std::vector<Plane<T>> ring_;
    Tile tile(int band, int column) const
    {
        int w = out_.width(), h = out_.height();
        return {w * column / kColumns, w * (column + 1) / kColumns, h * band / kBands, h * (band + 1) / kBands};
    }

    static void decode(Plane<T> &frame, const Tile &t, int number)
    {
        for (int y = t.y0; y < t.y1; y++)
            for (int x = t.x0; x < t.x1; x++) {
                std::uint32_t h = (x * 73856093u) ^ (y * 19349663u) ^ (number * 83492791u);
                h = (h ^ h >> 13) * 0x5bd1e995u;
                frame.row(y)[x] = T(((x + 2 * number) ^ y) & 127) / 256 + T(0.25) + (T(h >> 24) - 128) / 2048;
            }
    }

    void blend(const Plane<T> &centre, const Tile &t)
    {
        for (int y = t.y0; y < t.y1; y++) {
            const T *here = centre.row(y);
            for (int x = t.x0; x < t.x1; x++) {
                T sum = 0, weights = 0;
                for (const Plane<T> &frame : ring_) {
                    const T value = frame.row(y)[x], apart = value - here[x];
                    const T weight = 1 / (1 + 400 * apart * apart);
                    sum += weight * value, weights += weight;
                }
                out_.row(y)[x] = T(0.9) * (sum / weights) + T(0.1) * out_.row(y)[x];
            }
        }
    }
};

int main()
{
    Denoiser<float> denoiser(1280, 720);
    for (int number = 0; number < 40; number++) {
        denoiser.push(number);
        denoiser.filter(number > 2 ? number - 2 : 0);
    }
    std::printf("brightness %ld\n", denoiser.brightness());
}
