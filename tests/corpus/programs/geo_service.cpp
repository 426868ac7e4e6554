// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-first
// truth: main reads places from a text stream into a std::pmr::unordered_map over a pool resource (260000 nodes, 8 MiB with its buckets); eight workers take requests from one queue in batches, and each request looks up places anywhere in it
// fix: spread
// std: c++20
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>
#include <unordered_map>
#include <vector>

struct Place {
    float north, east;
    std::uint32_t people;
};

using Places = std::pmr::unordered_map<std::uint32_t, Place>;

struct Request {
    std::uint32_t first, step;
    int stops;
};

class Queue {
public:
    void put(std::vector<Request> batch)
    {
        std::lock_guard lock(mutex_);
        batches_.push_back(std::move(batch));
        ready_.notify_one();
    }
    void close()
    {
        std::lock_guard lock(mutex_);
        closed_ = true;
        ready_.notify_all();
    }
    std::optional<std::vector<Request>> take()
    {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [this] { return closed_ || !batches_.empty(); });
        if (batches_.empty())
            return std::nullopt;
        std::vector<Request> batch = std::move(batches_.front());
        batches_.pop_front();
        return batch;
    }

private:
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<std::vector<Request>> batches_;
    bool closed_ = false;
};

constexpr std::uint32_t kPlaces = 260000;

static void read_places(std::istream &in, Places &places)
{
    std::uint32_t id;
    Place place;
    while (in >> id >> place.north >> place.east >> place.people)
        places.emplace(id, place);
}

static std::uint64_t answer(const Places &places, const Request &request)
{
    std::uint64_t people = 0;
    std::uint32_t id = request.first;
    for (int s = 0; s < request.stops; s++) {
        id = (id * 48271u + request.step) % kPlaces;
        if (auto found = places.find(id); found != places.end() && found->second.north > 10)
            people += found->second.people;
    }
    return people;
}

int main()
{
    std::pmr::unsynchronized_pool_resource pool;
    Places places(&pool);
    places.reserve(kPlaces);
    {
        std::stringstream text;
        for (std::uint32_t i = 0; i < kPlaces; i++)
            text << i << ' ' << i % 90 << ".5 " << i % 180 << ".25 " << i * 37 % 5000 << '\n';
        read_places(text, places);
    }
    Queue queue;
    std::vector<std::uint64_t> sums(8 * 8);
    std::vector<std::jthread> workers;
    for (int w = 0; w < 8; w++)
        workers.emplace_back([&, w] {
            while (auto batch = queue.take())
                for (const Request &request : *batch)
                    sums[w * 8] += answer(places, request);
        });
    for (std::uint32_t b = 0; b < 160; b++) {
        std::vector<Request> batch;
        for (std::uint32_t r = 0; r < 50; r++)
            batch.push_back({b * 977 + r * 131, b + r * 17, 200});
        queue.put(std::move(batch));
    }
    queue.close();
    workers.clear();
    std::uint64_t people = 0;
    for (std::uint64_t sum : sums)
        people += sum;
    std::printf("%llu\n", (unsigned long long)people);
}
