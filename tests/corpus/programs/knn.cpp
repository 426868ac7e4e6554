// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: main loads a point cloud, a vector per coordinate; each thread scans all of it for its queries
// fix: spread
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

class Cloud {
public:
    explicit Cloud(size_t points) : coordinate_(3, std::vector<double>(points))
    {
        uint32_t state = 12345;
        for (auto &axis : coordinate_)
            for (double &c : axis) {
                state = state * 1664525u + 1013904223u;
                c = (state >> 8) * (100.0 / (1 << 24));
            }
    }
    size_t size() const { return coordinate_[0].size(); }
    const double *axis(int a) const { return coordinate_[a].data(); }

private:
    std::vector<std::vector<double>> coordinate_;
};

template <size_t K> struct Nearest {
    std::pair<double, size_t> best[K];

    Nearest() { std::fill(best, best + K, std::make_pair(1e300, (size_t)0)); }
    void offer(double distance, size_t which)
    {
        if (distance >= best[K - 1].first)
            return;
        size_t at = K - 1;
        for (; at && best[at - 1].first > distance; at--)
            best[at] = best[at - 1];
        best[at] = {distance, which};
    }
};

struct Query {
    double x, y, z;
    Nearest<5> found;
};

static void search(const Cloud &cloud, Query &query)
{
    const double *x = cloud.axis(0), *y = cloud.axis(1), *z = cloud.axis(2);
    for (size_t i = 0; i < cloud.size(); i++) {
        double dx = x[i] - query.x, dy = y[i] - query.y, dz = z[i] - query.z;
        query.found.offer(dx * dx + dy * dy + dz * dz, i);
    }
}

int main()
{
    Cloud cloud(280000);
    std::vector<Query> queries(24);
    for (size_t q = 0; q < queries.size(); q++) {
        queries[q].x = q * 37 % 100;
        queries[q].y = q * 53 % 100;
        queries[q].z = q * 71 % 100;
    }
    std::atomic<size_t> next{0};
    std::vector<std::thread> crew;
    for (int t = 0; t < 8; t++)
        crew.emplace_back([&] {
            for (size_t q; (q = next.fetch_add(1)) < queries.size();)
                search(cloud, queries[q]);
        });
    for (auto &one : crew)
        one.join();
    size_t check = 0;
    for (const Query &query : queries)
        for (const auto &near : query.found.best)
            check = check * 31 % 1000003 + near.second;
    std::printf("%zu %.4f\n", check, queries[9].found.best[4].first);
}
