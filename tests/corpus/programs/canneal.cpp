// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: simulated annealing as PARSEC's canneal: std::threads pick any two elements of a vector that main filled, and their nets
// fix: spread
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

struct location {
    int x, y;
};

class netlist_elem {
public:
    std::vector<netlist_elem *> fanin, fanout;
    std::atomic<location *> present_loc{nullptr};

    int cost(const location *at) const
    {
        int sum = 0;
        for (const netlist_elem *other : fanin)
            sum += distance(at, other->present_loc.load(std::memory_order_relaxed));
        for (const netlist_elem *other : fanout)
            sum += distance(at, other->present_loc.load(std::memory_order_relaxed));
        return sum;
    }

private:
    static int distance(const location *a, const location *b)
    {
        int dx = a->x - b->x, dy = a->y - b->y;
        return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
    }
};

class netlist {
public:
    explicit netlist(size_t n) : elements(n), locations(n)
    {
        uint64_t state = 3;
        for (size_t i = 0; i < n; i++) {
            locations[i] = {static_cast<int>(i % 256), static_cast<int>(i / 256)};
            elements[i].present_loc = &locations[i];
        }
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 4; k++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                netlist_elem *other = &elements[(state >> 33) % n];
                elements[i].fanin.push_back(other);
                other->fanout.push_back(&elements[i]);
            }
    }

    netlist_elem *random_pair(netlist_elem *&second, uint64_t &state)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        second = &elements[(state >> 33) % elements.size()];
        state = state * 6364136223846793005u + 1442695040888963407u;
        return &elements[(state >> 33) % elements.size()];
    }

private:
    std::vector<netlist_elem> elements;
    std::vector<location> locations;
};

static void anneal(netlist &nets, uint64_t seed, std::atomic<long> &accepted)
{
    uint64_t state = seed;
    long taken = 0;
    for (int move = 0; move < 12000; move++) {
        netlist_elem *b, *a = nets.random_pair(b, state);
        location *at_a = a->present_loc, *at_b = b->present_loc;
        int delta = a->cost(at_b) + b->cost(at_a) - a->cost(at_a) - b->cost(at_b);
        taken += delta < 0;
    }
    accepted += taken;
}

int main()
{
    netlist nets(1 << 16);
    std::atomic<long> accepted{0};
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 8; t++)
        threads.emplace_back(anneal, std::ref(nets), t * 977 + 1, std::ref(accepted));
    for (std::thread &each : threads)
        each.join();
    std::printf("%ld\n", accepted.load());
}
