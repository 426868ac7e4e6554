// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: a tree of boxes over triangles that main builds; std::async workers take rows of an image from a counter, rays go anywhere
// fix: spread
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <future>
#include <vector>

struct triangle {
    float a[3], b[3], c[3], colour;
};

struct box {
    float low[3], high[3];
    int32_t left, count; // leaf: the first triangle and how many
};

struct scene {
    std::vector<triangle> triangles;
    std::vector<box> boxes;

    explicit scene(int n)
    {
        uint32_t state = 12;
        auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 8; };
        for (int i = 0; i < n; i++) {
            triangle t{};
            for (int d = 0; d < 3; d++) {
                t.a[d] = static_cast<float>(next() % 10000) * 0.1f;
                t.b[d] = t.a[d] + static_cast<float>(next() % 50) * 0.1f;
                t.c[d] = t.a[d] + static_cast<float>(next() % 50) * 0.1f;
            }
            t.colour = static_cast<float>(next() % 100);
            triangles.push_back(t);
        }
        boxes.reserve(static_cast<size_t>(n));
        boxes.emplace_back();
        split(0, 0, n, 0);
    }

    void split(int at, int from, int to, int axis)
    {
        box &here = boxes[static_cast<size_t>(at)];
        for (int d = 0; d < 3; d++) {
            here.low[d] = 1e9f;
            here.high[d] = -1e9f;
        }
        for (int i = from; i < to; i++)
            for (int d = 0; d < 3; d++) {
                here.low[d] = std::min(here.low[d], triangles[i].a[d]);
                here.high[d] = std::max(here.high[d], triangles[i].a[d] + 5);
            }
        if (to - from <= 4) {
            here.left = from;
            here.count = to - from;
            return;
        }
        int middle = (from + to) / 2;
        std::nth_element(triangles.begin() + from, triangles.begin() + middle, triangles.begin() + to,
                         [axis](const triangle &x, const triangle &y) { return x.a[axis] < y.a[axis]; });
        int left = static_cast<int>(boxes.size());
        here.left = left;
        here.count = 0;
        boxes.resize(boxes.size() + 2);
        split(left, from, middle, (axis + 1) % 3);
        split(left + 1, middle, to, (axis + 1) % 3);
    }

    float shade(float x, float y) const
    {
        int stack[64], top = 0;
        float seen = 0;
        stack[top++] = 0;
        while (top > 0) {
            const box &here = boxes[static_cast<size_t>(stack[--top])];
            if (x < here.low[0] || x > here.high[0] || y < here.low[1] || y > here.high[1])
                continue;
            for (int i = here.left; i < here.left + here.count; i++)
                if (x >= triangles[i].a[0] && x <= triangles[i].b[0])
                    seen = std::max(seen, triangles[i].colour);
            if (here.count == 0) {
                stack[top++] = here.left;
                stack[top++] = here.left + 1;
            }
        }
        return seen;
    }
};

int main()
{
    const int width = 80, height = 160;
    scene world(60000);
    std::atomic<int> row{0};
    std::vector<std::future<double>> parts;
    for (int t = 0; t < 8; t++)
        parts.push_back(std::async(std::launch::async, [&world, &row] {
            double sum = 0;
            for (int y; (y = row++) < height;) {
                int line = y * 67 % height; // spread over the picture
                for (int x = 0; x < width; x++)
                    sum += world.shade(static_cast<float>(x) * 1000 / width, static_cast<float>(line) * 1000 / height);
            }
            return sum;
        }));
    double total = 0;
    for (auto &each : parts)
        total += each.get();
    std::printf("%.1f\n", total);
}
