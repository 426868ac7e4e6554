// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: a cache server's store: main loads it, threads get and put a few hot keys under striped locks: contention, placement cannot help
// fix: none
#include <array>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class Store {
public:
    void put(int key, const std::string &value)
    {
        Stripe &stripe = stripes[static_cast<size_t>(key) % stripes.size()];
        std::lock_guard<std::mutex> hold(stripe.lock);
        stripe.values[key] = value;
    }

    size_t get(int key)
    {
        Stripe &stripe = stripes[static_cast<size_t>(key) % stripes.size()];
        std::lock_guard<std::mutex> hold(stripe.lock);
        auto found = stripe.values.find(key);
        return found == stripe.values.end() ? 0 : found->second.size();
    }

private:
    struct Stripe {
        std::mutex lock;
        std::unordered_map<int, std::string> values;
    };
    std::array<Stripe, 16> stripes;
};

int main()
{
    static Store store;
    for (int key = 0; key < 20000; key++)
        store.put(key, std::string(100 + key % 50, 'x'));
    std::vector<std::thread> clients;
    std::array<size_t, 8 * 16> bytes{};
    for (size_t t = 0; t < 8; t++)
        clients.emplace_back([&, t] {
            unsigned state = static_cast<unsigned>(t) + 7;
            for (int request = 0; request < 30000; request++) {
                state = state * 1664525u + 1013904223u;
                int key = static_cast<int>((state >> 16) % 40);
                if (request % 10 == 0)
                    store.put(key, std::string(120, 'y'));
                else
                    bytes[t * 16] += store.get(key) > 0;
            }
        });
    size_t total = 0;
    for (size_t t = 0; t < 8; t++) {
        clients[t].join();
        total += bytes[t * 16];
    }
    std::printf("%zu\n", total);
}
