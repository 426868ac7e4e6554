// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23
// truth: one thread sorts and sums records while a second only waits for its end: nothing to gain
// fix: none
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Record {
    uint64_t key, payload[3];
};

int main()
{
    std::mutex lock;
    std::condition_variable ended;
    bool done = false;
    std::thread watch([&] {
        std::unique_lock<std::mutex> hold(lock);
        ended.wait(hold, [&] { return done; });
    });
    std::vector<Record> records(120000);
    uint64_t x = 88172645463325252u;
    for (Record &each : records) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        each.key = x;
        each.payload[0] = x & 255;
    }
    std::sort(records.begin(), records.end(), [](const Record &a, const Record &b) { return a.key < b.key; });
    uint64_t sum = 0;
    for (int round = 0; round < 5; round++)
        for (const Record &each : records)
            sum += each.payload[0] * (each.key & 3);
    {
        std::lock_guard<std::mutex> hold(lock);
        done = true;
    }
    ended.notify_all();
    watch.join();
    std::printf("%llu\n", (unsigned long long)sum);
}
