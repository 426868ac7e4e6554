// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: a bounded queue of atomics that all threads push to and pop from: contended lines, placement cannot help
// fix: none
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

template <typename T> class BoundedQueue {
public:
    explicit BoundedQueue(size_t size) : mask(size - 1), cells(new Cell[size])
    {
        for (size_t i = 0; i < size; i++)
            cells[i].sequence.store(i, std::memory_order_relaxed);
    }
    bool push(const T &value)
    {
        size_t position = head.load(std::memory_order_relaxed);
        for (;;) {
            Cell &cell = cells[position & mask];
            size_t sequence = cell.sequence.load(std::memory_order_acquire);
            if (sequence == position) {
                if (head.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
                    cell.value = value;
                    cell.sequence.store(position + 1, std::memory_order_release);
                    return true;
                }
            } else if (sequence < position) {
                return false;
            } else {
                position = head.load(std::memory_order_relaxed);
            }
        }
    }
    bool pop(T &value)
    {
        size_t position = tail.load(std::memory_order_relaxed);
        for (;;) {
            Cell &cell = cells[position & mask];
            size_t sequence = cell.sequence.load(std::memory_order_acquire);
            if (sequence == position + 1) {
                if (tail.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
                    value = cell.value;
                    cell.sequence.store(position + mask + 1, std::memory_order_release);
                    return true;
                }
            } else if (sequence < position + 1) {
                return false;
            } else {
                position = tail.load(std::memory_order_relaxed);
            }
        }
    }

private:
    struct alignas(64) Cell {
        std::atomic<size_t> sequence;
        T value;
    };
    size_t mask;
    std::unique_ptr<Cell[]> cells;
    alignas(64) std::atomic<size_t> head{0};
    alignas(64) std::atomic<size_t> tail{0};
};

int main()
{
    BoundedQueue<long> queue(256);
    std::atomic<long> sum{0};
    std::vector<std::thread> team;
    for (long t = 0; t < 8; t++)
        team.emplace_back([&, t] {
            long value = 0, mine = 0;
            for (long i = 0; i < 60000; i++) {
                while (!queue.push(i ^ t))
                    std::this_thread::yield();
                while (!queue.pop(value))
                    std::this_thread::yield();
                mine += value;
            }
            sum += mine;
        });
    for (auto &thread : team)
        thread.join();
    std::printf("%ld\n", sum.load());
}
