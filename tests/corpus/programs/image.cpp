// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: an image of floats in planes, loaded by main from a generator; threads of std::async blur bands of rows
// fix: parts
#include <cstdio>
#include <future>
#include <vector>

struct Image {
    size_t width, height;
    std::vector<float> pixels;
    Image(size_t w, size_t h) : width(w), height(h), pixels(w * h) {}
    float *row(size_t y) { return &pixels[y * width]; }
    const float *row(size_t y) const { return &pixels[y * width]; }
};

static void blur(const Image &from, Image &to, size_t first, size_t last)
{
    for (size_t y = first; y < last; y++) {
        const float *above = from.row(y ? y - 1 : y), *mid = from.row(y);
        const float *below = from.row(y + 1 < from.height ? y + 1 : y);
        float *out = to.row(y);
        for (size_t x = 1; x + 1 < from.width; x++)
            out[x] = 0.2f * (above[x] + below[x] + mid[x - 1] + mid[x] + mid[x + 1]);
    }
}

int main()
{
    const size_t bands = 8;
    Image image(1024, 800), other(1024, 800);
    for (size_t y = 0; y < image.height; y++)
        for (size_t x = 0; x < image.width; x++)
            image.row(y)[x] = float((x * 7 + y * 3) % 255);
    for (int pass = 0; pass < 12; pass++) {
        std::vector<std::future<void>> work;
        for (size_t b = 0; b < bands; b++)
            work.push_back(std::async(std::launch::async, [&, b] {
                blur(image, other, image.height * b / bands, image.height * (b + 1) / bands);
            }));
        for (auto &one : work)
            one.get();
        std::swap(image.pixels, other.pixels);
    }
    std::printf("%.5f\n", image.row(100)[500]);
}
