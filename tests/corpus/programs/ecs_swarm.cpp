// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-third
// truth: an entity component system: spawn() of main appends to the packed vectors of two pools, Transform (32 bytes, 7.6 MiB) and Motion (24 bytes, 5.7 MiB), which reserve their memory by an allocator over std::aligned_alloc; eight workers that stay each run all systems on their own range of the packed entities, frame after frame; the sparse index of each pool (uint32, 1 MiB) is written by main and not read by the workers
// fix: parts
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <tuple>
#include <vector>

using Entity = std::uint32_t;

template <class T> struct LineAllocator {
    using value_type = T;
    LineAllocator() = default;
    template <class U> LineAllocator(const LineAllocator<U> &) noexcept {}
    T *allocate(std::size_t count)
    {
        std::size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
        void *memory = std::aligned_alloc(64, bytes);
        return memory ? static_cast<T *>(memory) : throw std::bad_alloc();
    }
    void deallocate(T *memory, std::size_t) noexcept { std::free(memory); }
    bool operator==(const LineAllocator &) const noexcept { return true; }
    bool operator!=(const LineAllocator &) const noexcept { return false; }
};

struct Transform {
    float x, y, z, angle;
    float scale[4] = {1, 1, 1, 1};
};

struct Motion {
    float vx, vy, vz, spin;
    std::uint32_t flags, age;
};

template <class T> class Pool {
  public:
    explicit Pool(std::size_t capacity) : sparse_(capacity, ~0u) { packed_.reserve(capacity); }
    template <class... Args> void emplace(Entity e, Args &&...args)
    {
        sparse_[e] = static_cast<std::uint32_t>(packed_.size());
        packed_.push_back(T{std::forward<Args>(args)...});
    }
    T *data() { return packed_.data(); }
    T &of(Entity e) { return packed_[sparse_[e]]; }

  private:
    std::vector<std::uint32_t> sparse_;
    std::vector<T, LineAllocator<T>> packed_;
};

class World {
  public:
    explicit World(std::size_t capacity) : pools_(Pool<Transform>(capacity), Pool<Motion>(capacity)) {}
    Entity spawn()
    {
        Entity e = count_++;
        float a = 0.37f * static_cast<float>(e % 4096);
        pool<Transform>().emplace(e, std::cos(a), std::sin(a), 0.001f * static_cast<float>(e % 777), a);
        pool<Motion>().emplace(e, -std::sin(a), std::cos(a), 0.01f, 0.1f, e % 3, 0u);
        return e;
    }
    template <class T> Pool<T> &pool() { return std::get<Pool<T>>(pools_); }
    std::size_t size() const { return count_; }

  private:
    std::tuple<Pool<Transform>, Pool<Motion>> pools_;
    Entity count_ = 0;
};

class Crew {
  public:
    template <class Job> void start(unsigned size, Job job)
    {
        for (unsigned w = 0; w < size; w++)
            threads_.emplace_back([this, w, size, job] {
                for (unsigned round = 1; wait_for(round); round++) {
                    job(w, size);
                    std::lock_guard lock(mutex_);
                    if (++done_ == size * round)
                        changed_.notify_all();
                }
            });
    }
    void frame()
    {
        std::unique_lock lock(mutex_);
        ++round_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return done_ == threads_.size() * round_; });
    }
    ~Crew()
    {
        {
            std::lock_guard lock(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
        for (auto &thread : threads_)
            thread.join();
    }

  private:
    bool wait_for(unsigned round)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || round_ >= round; });
        return round_ >= round;
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned round_ = 0;
    std::size_t done_ = 0;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

static void steer(Motion &m, const Transform &t)
{
    float pull = -0.02f * (t.x * t.x + t.y * t.y);
    m.vx += pull * t.x;
    m.vy += pull * t.y;
    m.age += m.flags != 2;
}

int main()
{
    auto world = std::make_unique<World>(250000);
    while (world->size() < 250000)
        world->spawn();
    Crew crew;
    crew.start(8, [&](unsigned w, unsigned of) {
        std::size_t first = world->size() * w / of, last = world->size() * (w + 1) / of;
        Transform *t = world->pool<Transform>().data();
        Motion *m = world->pool<Motion>().data();
        for (std::size_t i = first; i < last; i++)
            steer(m[i], t[i]);
        for (std::size_t i = first; i < last; i++) {
            t[i].x += 0.016f * m[i].vx;
            t[i].y += 0.016f * m[i].vy;
            t[i].angle += m[i].spin;
        }
    });
    for (int frame = 0; frame < 24; frame++)
        crew.frame();
    double sum = 0;
    for (Entity e = 0; e < world->size(); e += 1000)
        sum += world->pool<Transform>().of(e).x + world->pool<Motion>().of(e).age;
    std::printf("%.3f\n", sum);
}
