// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: the volume (make_unique, 8 MiB) is written first by main in the constructor, then rays of OpenMP tasks (one per image row, any thread) cross the whole of it
// fix: spread
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

// Emission-absorption volume renderer, several views of one data set.

class Volume {
public:
    explicit Volume(int n) : n_(n), data_(std::make_unique<float[]>(static_cast<std::size_t>(n) * n * n))
    {
        const float c = 0.5f * n;
        for (int z = 0; z < n; z++)
            for (int y = 0; y < n; y++)
                for (int x = 0; x < n; x++) {
                    float dx = (x - c) / c, dy = (y - c) / c, dz = (z - c) / c;
                    float r2 = dx * dx + dy * dy + dz * dz;
                    data_[(static_cast<std::size_t>(z) * n + y) * n + x] = 0.02f / (0.2f + r2) + 0.004f * ((x ^ y ^ z) & 7);
                }
    }
    int size() const { return n_; }
    float sample(float x, float y, float z) const // linear in depth, nearest across
    {
        int ix = static_cast<int>(x), iy = static_cast<int>(y), iz = static_cast<int>(z);
        if (ix < 0 || iy < 0 || iz < 0 || ix >= n_ || iy >= n_ || iz >= n_ - 1)
            return 0.0f;
        const float *p = &data_[(static_cast<std::size_t>(iz) * n_ + iy) * n_ + ix];
        float t = z - iz;
        return (1.0f - t) * p[0] + t * p[static_cast<std::size_t>(n_) * n_];
    }

private:
    int n_;
    std::unique_ptr<float[]> data_;
};

struct Camera {
    float angle;
    int width, height;
};

static void render_row(const Volume &vol, const Camera &cam, int row, float *out)
{
    const float c = 0.5f * vol.size();
    const float ca = std::cos(cam.angle), sa = std::sin(cam.angle);
    const float scale = static_cast<float>(vol.size()) / cam.width;
    for (int col = 0; col < cam.width; col++) {
        float u = col * scale - c, v = row * scale - c;
        float colour = 0.0f, transmit = 1.0f;
        for (int s = 0; s < vol.size(); s++) {
            float w = s - c;
            // rotation about the x axis: rows of the image sweep through y and z
            float d = vol.sample(u + c, ca * v - sa * w + c, sa * v + ca * w + c);
            colour += transmit * d;
            transmit *= 1.0f - 0.2f * d;
        }
        out[col] = colour;
    }
}

static void render(const Volume &vol, const Camera &cam, std::vector<float> &image)
{
#pragma omp parallel
#pragma omp single
    for (int row = 0; row < cam.height; row++) {
#pragma omp task firstprivate(row) shared(vol, cam, image)
        render_row(vol, cam, row, &image[static_cast<std::size_t>(row) * cam.width]);
    }
}

int main()
{
    const Volume vol(128);
    double total = 0.0;
    std::vector<float> image(128 * 128);
    for (int view = 0; view < 7; view++) {
        Camera cam{0.45f * view, 128, 128};
        render(vol, cam, image);
        double frame = 0.0;
        for (float p : image)
            frame += p;
        total += frame / image.size();
    }
    std::printf("mean brightness over views %.6f\n", total / 7);
    return 0;
}
