// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: a table with open addressing in a vector of a class, filled by main; tasks look up keys at random in all of it
// fix: spread
#include <cstdint>
#include <cstdio>
#include <vector>

template <typename Key, typename Value> class FlatMap {
public:
    explicit FlatMap(unsigned bits) : mask((1u << bits) - 1), slots(1u << bits) {}

    Value &operator[](Key key)
    {
        size_t at = hash(key) & mask;
        while (slots[at].used && slots[at].key != key)
            at = (at + 1) & mask;
        slots[at].used = true;
        slots[at].key = key;
        return slots[at].value;
    }
    const Value *find(Key key) const
    {
        for (size_t at = hash(key) & mask; slots[at].used; at = (at + 1) & mask)
            if (slots[at].key == key)
                return &slots[at].value;
        return nullptr;
    }

private:
    struct Slot {
        Key key;
        Value value;
        bool used;
    };
    static size_t hash(Key key) { return (key * 0x9e3779b97f4a7c15u) >> 29; }
    size_t mask;
    std::vector<Slot> slots;
};

struct Random {
    uint64_t state;
    uint64_t operator()() { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; }
};

static long lookups(const FlatMap<uint64_t, uint32_t> &counts, uint64_t seed, int number)
{
    Random random{seed};
    long found = 0;
    for (int i = 0; i < number; i++)
        if (const uint32_t *count = counts.find(random() % 300000))
            found += *count;
    return found;
}

int main()
{
    FlatMap<uint64_t, uint32_t> counts(18);
    Random random{1};
    for (int i = 0; i < 140000; i++)
        counts[random() % 300000]++;
    long total = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) shared(counts, total)
    for (int read = 0; read < 160; read++) {
        long found = lookups(counts, 77 + read, 12000);
#pragma omp atomic
        total += found;
    }
    std::printf("%ld\n", total);
}
