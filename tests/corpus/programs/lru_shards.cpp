// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: main constructs all shards of a cache, linking their entries; each server thread uses one shard
// fix: parts
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

class LruShard {
public:
    LruShard(uint32_t capacity, uint32_t buckets)
        : entries_(new Entry[capacity + 1]()), bucket_(new uint32_t[buckets]()), mask_(buckets - 1)
    {
        // Entry 0 is the head of the ring, newest first; unused entries are its oldest.
        for (uint32_t i = 0; i <= capacity; i++) {
            entries_[i].newer = i ? i - 1 : capacity;
            entries_[i].older = i < capacity ? i + 1 : 0;
        }
    }
    ~LruShard()
    {
        delete[] entries_;
        delete[] bucket_;
    }
    LruShard(const LruShard &) = delete;
    LruShard &operator=(const LruShard &) = delete;

    bool get(uint64_t key, uint64_t &value)
    {
        for (uint32_t at = bucket_[hash(key)]; at; at = entries_[at].chained)
            if (entries_[at].key == key) {
                value = entries_[at].value;
                to_front(at);
                return true;
            }
        return false;
    }
    void put(uint64_t key, uint64_t value)
    {
        uint32_t victim = entries_[0].newer;
        if (entries_[victim].key)
            unchain(victim);
        entries_[victim].key = key;
        entries_[victim].value = value;
        entries_[victim].chained = bucket_[hash(key)];
        bucket_[hash(key)] = victim;
        to_front(victim);
    }

private:
    struct Entry {
        uint64_t key, value;
        uint32_t newer, older, chained;
    };
    Entry *entries_;
    uint32_t *bucket_, mask_;

    uint32_t hash(uint64_t key) const { return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & mask_; }
    void to_front(uint32_t at)
    {
        Entry &entry = entries_[at];
        entries_[entry.newer].older = entry.older;
        entries_[entry.older].newer = entry.newer;
        entry.newer = 0;
        entry.older = entries_[0].older;
        entries_[entry.older].newer = at;
        entries_[0].older = at;
    }
    void unchain(uint32_t at)
    {
        uint32_t *link = &bucket_[hash(entries_[at].key)];
        while (*link != at)
            link = &entries_[*link].chained;
        *link = entries_[at].chained;
    }
};

static void serve(LruShard &shard, unsigned number, long &hits)
{
    uint64_t state = 88172645463325252u + number, value = 0;
    long found = 0;
    for (int request = 0; request < 110000; request++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t key = 1 + (state & 8 ? state >> 20 & 0x3fff : state >> 20 & 0x1ffff);
        if (shard.get(key, value))
            found += value == key * 3;
        else
            shard.put(key, key * 3);
    }
    hits = found;
}

int main()
{
    const unsigned shards = 8;
    std::vector<std::unique_ptr<LruShard>> cache;
    for (unsigned s = 0; s < shards; s++)
        cache.push_back(std::make_unique<LruShard>(32768, 131072));
    std::vector<long> hits(shards);
    std::vector<std::thread> servers;
    for (unsigned s = 0; s < shards; s++)
        servers.emplace_back(serve, std::ref(*cache[s]), s, std::ref(hits[s]));
    for (unsigned s = 0; s < shards; s++)
        servers[s].join();
    for (long found : hits)
        std::printf("%ld ", found);
    std::printf("hits\n");
}
