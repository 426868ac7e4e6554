// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, nineteenth
// truth: main makes the scene (64 spheres behind pointers to a base class, 6 KiB in all); all threads trace rows of the picture as they come, write them first (8 MiB, new without values), and compute for long on what is in their caches; main reads each pixel once at the end
// fix: none
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

struct Vec {
    double x = 0, y = 0, z = 0;
    Vec operator+(const Vec &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vec operator-(const Vec &o) const { return {x - o.x, y - o.y, z - o.z}; }
    Vec operator*(double s) const { return {x * s, y * s, z * s}; }
    double dot(const Vec &o) const { return x * o.x + y * o.y + z * o.z; }
};

struct Ray {
    Vec from, to;
};

class Shape {
public:
    virtual ~Shape() = default;
    virtual double hit(const Ray &ray) const = 0;
    virtual Vec normal(const Vec &at) const = 0;
    double gloss = 0.4, shade = 0.5;
};

class Sphere : public Shape {
public:
    Sphere(Vec centre, double radius) : centre_(centre), radius_(radius) {}

    double hit(const Ray &ray) const override
    {
        const Vec d = ray.from - centre_;
        const double b = d.dot(ray.to), c = d.dot(d) - radius_ * radius_, disc = b * b - c;
        if (disc < 0)
            return 1e30;
        const double near = -b - std::sqrt(disc);
        return near > 1e-6 ? near : 1e30;
    }

    Vec normal(const Vec &at) const override { return (at - centre_) * (1 / radius_); }

private:
    Vec centre_;
    double radius_;
};

using Scene = std::vector<std::unique_ptr<Shape>>;

static double trace(const Scene &scene, Ray ray, int depth)
{
    double best = 1e30;
    const Shape *found = nullptr;
    for (const auto &shape : scene) {
        const double t = shape->hit(ray);
        if (t < best) {
            best = t;
            found = shape.get();
        }
    }
    if (found == nullptr)
        return 0.5 + 0.5 * ray.to.y;
    const Vec at = ray.from + ray.to * best, n = found->normal(at);
    const double lit = found->shade * std::fabs(n.dot({0.577, 0.577, -0.577}));
    if (depth == 0)
        return lit;
    return lit + found->gloss * trace(scene, {at, ray.to - n * (2 * n.dot(ray.to))}, depth - 1);
}

int main()
{
    constexpr int width = 1024, height = 1024, cell = 2; // each ray paints a cell of 2 x 2 pixels
    Scene scene;
    for (int i = 0; i < 64; i++) {
        scene.push_back(std::make_unique<Sphere>(Vec{(i % 8) - 3.5, (i / 8) - 3.5, 6 + 0.3 * (i % 5)}, 0.45));
        scene.back()->shade = 0.3 + 0.01 * i;
    }
    std::unique_ptr<double[]> pixels(new double[width * height]);
#pragma omp parallel for schedule(dynamic, 1)
    for (int row = 0; row < height / cell; row++)
        for (int column = 0; column < width / cell; column++) {
            Vec to{(column * cell - width / 2) / double(width), (row * cell - height / 2) / double(height), 1};
            to = to * (1 / std::sqrt(to.dot(to)));
            const double light = trace(scene, {{0, 0, 0}, to}, 2);
            for (int y = 0; y < cell; y++)
                for (int x = 0; x < cell; x++)
                    pixels[(row * cell + y) * width + column * cell + x] = light * (1 - 0.01 * (x ^ y));
        }
    double sum = 0;
    for (int i = 0; i < width * height; i++)
        sum += pixels[i];
    std::printf("%.6f\n", sum / (width * height));
    return 0;
}
