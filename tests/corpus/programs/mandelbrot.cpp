// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: each pixel is computed long and written once, rows go out dynamically; main made the image: nothing to gain
// fix: none
#include <complex>
#include <cstdio>
#include <vector>

struct Pixel {
    float red, green, blue, alpha;
};

template <class T> class Picture {
public:
    Picture(int w, int h) : width(w), height(h), pixels(size_t(w) * size_t(h)) {}
    T &operator()(int x, int y) { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
    const int width, height;

private:
    std::vector<T> pixels;
};

static int escape(double re, double im, int limit)
{
    double x = 0, y = 0;
    int n = 0;
    for (; n < limit && x * x + y * y < 4; n++) {
        double next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
    }
    return n;
}

int main()
{
    Picture<Pixel> picture(480, 360);
#pragma omp parallel for schedule(dynamic, 2)
    for (int y = 0; y < picture.height; y++)
        for (int x = 0; x < picture.width; x++) {
            float n = float(escape(-2.2 + 3.0 * x / picture.width, -1.2 + 2.4 * y / picture.height, 900)) / 900;
            picture(x, y) = {n, n * n, 1 - n, 1};
        }
    std::printf("%.6f\n", double(picture(200, 150).red));
}
