// truth: the coordinate vectors are pushed back and the label vector is constructed by main alone; afterwards static OpenMP loops give each thread its block of the points in every iteration
// fix: parts
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

template <typename Real>
struct Cloud {
    std::vector<Real> x, y, z;
    std::vector<int> label;
    std::size_t size() const { return x.size(); }
};

template <typename Real>
struct Centre {
    Real x, y, z;
};

// sums in fixed point do not depend on the order
struct Sums {
    std::int64_t x = 0, y = 0, z = 0, n = 0;
    Sums &operator+=(const Sums &o)
    {
        x += o.x;
        y += o.y;
        z += o.z;
        n += o.n;
        return *this;
    }
};

constexpr double fixed = 1 << 20;

template <typename Real>
static Cloud<Real> sample(std::size_t n)
{
    Cloud<Real> cloud;
    std::uint64_t s = 88172645463325252ull;
    auto uniform = [&s] {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        return static_cast<Real>(s >> 40) / static_cast<Real>(1 << 24);
    };
    cloud.x.reserve(n);
    cloud.y.reserve(n);
    cloud.z.reserve(n);
    for (std::size_t i = 0; i < n; i++) {
        const int blob = static_cast<int>(i * 7 % 11);
        cloud.x.push_back(uniform() + Real(blob % 3) * Real(1.4));
        cloud.y.push_back(uniform() + Real(blob / 3) * Real(1.2));
        cloud.z.push_back(uniform() * Real(1 + blob % 2));
    }
    cloud.label = std::vector<int>(n, -1);
    return cloud;
}

template <typename Real, std::size_t K>
class KMeans {
public:
    explicit KMeans(const Cloud<Real> &cloud)
    {
        for (std::size_t k = 0; k < K; k++) {
            const std::size_t i = k * (cloud.size() / K) + k;
            centre_[k] = {cloud.x[i], cloud.y[i], cloud.z[i]};
        }
    }

    long assign(Cloud<Real> &cloud) const
    {
        const long n = static_cast<long>(cloud.size());
        long moved = 0;
#pragma omp parallel for schedule(static) reduction(+ : moved)
        for (long i = 0; i < n; i++) {
            Real best = std::numeric_limits<Real>::max();
            int nearest = 0;
            for (std::size_t k = 0; k < K; k++) {
                const Real dx = cloud.x[i] - centre_[k].x, dy = cloud.y[i] - centre_[k].y, dz = cloud.z[i] - centre_[k].z;
                const Real d = dx * dx + dy * dy + dz * dz;
                if (d < best) {
                    best = d;
                    nearest = static_cast<int>(k);
                }
            }
            moved += cloud.label[i] != nearest;
            cloud.label[i] = nearest;
        }
        return moved;
    }

    void update(const Cloud<Real> &cloud)
    {
        const long n = static_cast<long>(cloud.size());
        std::array<Sums, K> total{};
#pragma omp parallel
        {
            std::array<Sums, K> mine{};
#pragma omp for schedule(static) nowait
            for (long i = 0; i < n; i++) {
                auto &s = mine[cloud.label[i]];
                s.x += static_cast<std::int64_t>(cloud.x[i] * fixed);
                s.y += static_cast<std::int64_t>(cloud.y[i] * fixed);
                s.z += static_cast<std::int64_t>(cloud.z[i] * fixed);
                s.n++;
            }
#pragma omp critical
            for (std::size_t k = 0; k < K; k++)
                total[k] += mine[k];
        }
        for (std::size_t k = 0; k < K; k++)
            if (total[k].n) {
                const double scale = 1 / (fixed * static_cast<double>(total[k].n));
                centre_[k] = {Real(total[k].x * scale), Real(total[k].y * scale), Real(total[k].z * scale)};
            }
    }

    const Centre<Real> &operator[](std::size_t k) const { return centre_[k]; }

private:
    std::array<Centre<Real>, K> centre_;
};

int main()
{
    constexpr std::size_t clusters = 8;
    auto cloud = sample<double>(400000);
    KMeans<double, clusters> model(cloud);
    long moved = 0;
    for (int round = 0; round < 7; round++) {
        moved = model.assign(cloud);
        model.update(cloud);
    }
    std::printf("moved %ld\n", moved);
    for (std::size_t k = 0; k < clusters; k++)
        std::printf("%.6f %.6f %.6f\n", model[k].x, model[k].y, model[k].z);
}
