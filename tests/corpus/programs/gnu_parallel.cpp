// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: libstdc++'s parallel transform, in equal parts of vectors that main generates
// fix: parts
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <parallel/algorithm>
#include <vector>

struct Saxpy {
    float factor;
    float operator()(float x, float y) const { return factor * x + y; }
};

template <class Vector> static void step(const Vector &x, Vector &y, float factor)
{
    __gnu_parallel::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{factor},
                              __gnu_parallel::parallel_unbalanced);
}

int main()
{
    std::vector<float> x(2000000), y;
    std::iota(x.begin(), x.end(), 0.0f);
    std::transform(x.begin(), x.end(), x.begin(), [](float value) { return value / 1000; });
    y.assign(x.size(), 1.0f);
    for (int round = 0; round < 6; round++) {
        step(x, y, 0.5f);
        step(y, x, 0.25f);
    }
    std::printf("%.4f\n", double(y[12345]));
}
