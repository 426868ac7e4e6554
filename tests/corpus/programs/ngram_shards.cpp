// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-third
// truth: a language model in eight shards: each worker builds the hash table of trigrams of its own shard (2 MiB, a unique_ptr to an array in a Shard), hands the Shard to main by a promise, and afterwards alone scores sentences against it; main keeps the shards, starts each round and adds up the scores, but reads none of the tables: nothing to gain
// fix: none
#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

struct Entry {
    std::uint64_t key = 0;
    std::uint32_t count = 0, backoff = 0;
};

class Shard {
  public:
    explicit Shard(unsigned bits) : mask_((1u << bits) - 1), slots_(std::make_unique<Entry[]>(std::size_t{1} << bits)) {}
    Entry &at(std::uint64_t key)
    {
        std::size_t i = (key * 0x9e3779b97f4a7c15u >> 30) & mask_;
        while (slots_[i].key != 0 && slots_[i].key != key)
            i = (i + 1) & mask_;
        return slots_[i];
    }
    void add(std::uint64_t key)
    {
        Entry &entry = at(key);
        entry.key = key;
        entry.count++;
        entry.backoff = entry.count * 3 / 4;
    }
    std::uint32_t score(std::uint64_t key) { return at(key).backoff; }

  private:
    std::size_t mask_;
    std::unique_ptr<Entry[]> slots_;
};

struct Words {
    explicit Words(std::uint64_t seed) : state(seed * 2654435761u + 1) {}
    std::uint64_t trigram()
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::uint64_t word = state >> 50;
        last = (last << 16 | (word * word >> 14)) & 0xffffffffffffu;
        return last | std::uint64_t{1} << 60;
    }
    std::uint64_t state, last = 0;
};

struct Score {
    std::uint64_t sentences_from;
    std::promise<std::uint64_t> answer;
};
struct Stop {};
using Order = std::variant<Score, Stop>;

static void worker(unsigned number, std::promise<std::unique_ptr<Shard>> built, std::vector<std::future<Order>> orders)
{
    auto shard = std::make_unique<Shard>(17);
    Words text(number);
    for (int i = 0; i < 80000; i++)
        shard->add(text.trigram());
    Shard &own = *shard;
    built.set_value(std::move(shard));
    for (auto &future : orders) {
        Order order = future.get();
        if (std::holds_alternative<Stop>(order))
            return;
        auto &job = std::get<Score>(order);
        Words sentences(job.sentences_from + number);
        std::uint64_t sum = 0;
        for (int i = 0; i < 80000; i++)
            sum += own.score(sentences.trigram());
        job.answer.set_value(sum);
    }
}

int main()
{
    constexpr unsigned count = 8, rounds = 6;
    std::vector<std::vector<std::promise<Order>>> orders(count);
    std::vector<std::future<std::unique_ptr<Shard>>> building;
    std::vector<std::thread> threads;
    for (unsigned w = 0; w < count; w++) {
        std::promise<std::unique_ptr<Shard>> built;
        building.push_back(built.get_future());
        orders[w].resize(rounds + 1);
        std::vector<std::future<Order>> inbox;
        for (auto &order : orders[w])
            inbox.push_back(order.get_future());
        threads.emplace_back(worker, w, std::move(built), std::move(inbox));
    }
    std::vector<std::unique_ptr<Shard>> shards;
    for (auto &each : building)
        shards.push_back(each.get());
    std::uint64_t total = 0;
    for (unsigned r = 0; r < rounds; r++) {
        std::vector<std::future<std::uint64_t>> answers;
        for (unsigned w = 0; w < count; w++) {
            Score job{r % 2, {}};
            answers.push_back(job.answer.get_future());
            orders[w][r].set_value(std::move(job));
        }
        for (auto &answer : answers)
            total += answer.get();
    }
    for (unsigned w = 0; w < count; w++)
        orders[w][rounds].set_value(Stop{});
    for (auto &thread : threads)
        thread.join();
    std::printf("%llu\n", static_cast<unsigned long long>(total));
}
