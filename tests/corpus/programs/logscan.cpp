// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, thirteenth
// truth: each std::thread grows its own vector of records (about 1.1 MiB, 9 MiB in all), writes it first and alone scans it afterwards; only small counters are combined
// fix: none
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

// Access-log analyser: every worker parses one shard and answers the queries on it.

struct Record {
    std::uint32_t time;
    std::uint16_t status;
    std::uint16_t path;
    std::uint32_t bytes;
    std::uint32_t client;
};

struct Summary {
    std::array<std::uint64_t, 6> by_class{};
    std::array<std::uint64_t, 64> by_path{};
    std::uint64_t bytes = 0;
};

class Shard {
public:
    void parse(unsigned id, unsigned lines)
    {
        std::uint32_t s = 17u + 101u * id;
        std::uint32_t clock = 0;
        for (unsigned i = 0; i < lines; i++) {
            s = s * 1664525u + 1013904223u;
            clock += (s >> 28) + 1;
            static const std::uint16_t codes[8] = {200, 200, 200, 200, 304, 301, 404, 500};
            Record r;
            r.time = clock;
            r.status = codes[(s >> 13) & 7];
            r.path = static_cast<std::uint16_t>((s >> 18) & 1023);
            r.bytes = (s >> 9) & 0xffff;
            r.client = s % 5003;
            records_.push_back(r);
        }
    }

    // one query: traffic of the clients of one class inside a time window
    Summary query(std::uint32_t t0, std::uint32_t t1, std::uint32_t client_class) const
    {
        Summary out;
        for (const Record &r : records_) {
            if (r.time < t0 || r.time >= t1 || r.client % 10 == client_class)
                continue;
            out.by_class[r.status / 100]++;
            out.by_path[r.path & 63]++;
            out.bytes += r.bytes;
        }
        return out;
    }

private:
    std::vector<Record> records_;
};

static void worker(unsigned id, Summary &total)
{
    Shard shard;
    shard.parse(id, 72000);
    Summary sum;
    for (std::uint32_t q = 0; q < 10; q++) {
        Summary s = shard.query(q * 10000, 400000 + q * 20000, q);
        for (std::size_t i = 0; i < s.by_class.size(); i++)
            sum.by_class[i] += s.by_class[i];
        for (std::size_t i = 0; i < s.by_path.size(); i++)
            sum.by_path[i] += s.by_path[i];
        sum.bytes += s.bytes;
    }
    total = sum;
}

int main()
{
    constexpr unsigned kWorkers = 8;
    std::array<Summary, kWorkers> parts;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kWorkers; i++)
        threads.emplace_back(worker, i, std::ref(parts[i]));
    for (auto &t : threads)
        t.join();

    std::uint64_t bytes = 0, errors = 0, hot = 0;
    for (const Summary &p : parts) {
        bytes += p.bytes;
        errors += p.by_class[4] + p.by_class[5];
        hot += p.by_path[7];
    }
    std::printf("bytes %llu errors %llu hot path %llu\n", static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(errors), static_cast<unsigned long long>(hot));
    return 0;
}
