// truth: main reserves an arena (2 MiB, aligned, not touched) for each sector, but the populate call runs through the same static OpenMP helper as all updates, so each thread's sectors are local already
// fix: none
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

class Arena {
public:
    static constexpr std::size_t capacity = std::size_t{2} << 20;

    Arena() : base_(static_cast<std::byte *>(std::aligned_alloc(capacity, capacity)))
    {
        if (!base_)
            throw std::bad_alloc();
    }

    template <typename T>
    T *take(std::size_t n)
    {
        const std::size_t at = (used_ + 63) / 64 * 64;
        if (at + n * sizeof(T) > capacity)
            throw std::bad_alloc();
        used_ = at + n * sizeof(T);
        return reinterpret_cast<T *>(base_.get() + at);
    }

    void reset() { used_ = 0; }

private:
    struct Free {
        void operator()(std::byte *p) const { std::free(p); }
    };
    std::unique_ptr<std::byte, Free> base_;
    std::size_t used_ = 0;
};

// units of a sector of the map, a structure of arrays
struct alignas(64) Sector {
    static constexpr int units = 80000;
    Arena arena;
    float *x, *y, *vx, *vy, *morale;
    std::uint32_t *seed;
    std::int64_t fled = 0;

    Sector()
    {
        arena.reset();
        for (float **field : {&x, &y, &vx, &vy, &morale})
            *field = arena.take<float>(units);
        seed = arena.take<std::uint32_t>(units);
    }
};

class World {
public:
    explicit World(int sectors) : sectors_(sectors), alarm_(sectors) {}

    void populate()
    {
        each([](int id, Sector &s) {
            for (int i = 0; i < Sector::units; i++) {
                s.seed[i] = static_cast<std::uint32_t>(id * Sector::units + i) * 2654435761u + 1;
                s.x[i] = static_cast<float>(s.seed[i] >> 16) / 256;
                s.y[i] = static_cast<float>(s.seed[i] & 0xffff) / 256;
                s.vx[i] = s.vy[i] = 0;
                s.morale[i] = 1;
            }
        });
    }

    void tick()
    {
        each([this](int id, Sector &s) { steer(s, static_cast<float>(alarm_[id]) * 1e-6f); });
        each([](int, Sector &s) { move(s); });
        share_alarm();
    }

    std::int64_t fled() const
    {
        std::int64_t sum = 0;
        for (auto &s : sectors_)
            sum += s.fled;
        return sum;
    }

    double centre() const
    {
        double sum = 0;
        for (auto &s : sectors_)
            for (int i = 0; i < Sector::units; i += 16)
                sum += s.x[i];
        return sum;
    }

private:
    template <typename F>
    void each(F act)
    {
        const int n = static_cast<int>(sectors_.size());
#pragma omp parallel for schedule(static, 1)
        for (int id = 0; id < n; id++)
            act(id, sectors_[id]);
    }

    static void steer(Sector &s, float fear)
    {
        for (int i = 0; i < Sector::units; i++) {
            s.seed[i] = s.seed[i] * 1664525u + 1013904223u;
            const float noise = static_cast<float>(s.seed[i] >> 8) / 16777216.0f - 0.5f;
            s.vx[i] = 0.9f * s.vx[i] + 0.1f * (128 - s.x[i]) + noise;
            s.vy[i] = 0.9f * s.vy[i] + 0.1f * (128 - s.y[i]) - noise;
            s.morale[i] -= fear * (noise + 0.5f);
        }
    }

    static void move(Sector &s)
    {
        std::int64_t left = 0;
        for (int i = 0; i < Sector::units; i++) {
            s.x[i] += 0.05f * s.vx[i];
            s.y[i] += 0.05f * s.vy[i];
            if (s.morale[i] < 0.9f) {
                s.morale[i] = 1;
                left++;
            }
        }
        s.fled += left;
    }

    void share_alarm()
    {
        const std::size_t n = sectors_.size();
        for (std::size_t i = 0; i < n; i++)
            alarm_[i] = 20000 + sectors_[(i + 1) % n].fled - sectors_[i].fled / 2;
    }

    std::vector<Sector> sectors_;
    std::vector<std::int64_t> alarm_;
};

int main()
{
    World world(8);
    world.populate();
    for (int t = 0; t < 12; t++)
        world.tick();
    std::printf("fled %lld centre %.6f\n", static_cast<long long>(world.fled()), world.centre());
}
