// SPDX-License-Identifier: Apache-2.0
#include "core/util/table.h"
#include "tests/c/check.h"

// Random operations beside an array that is looked through from end to end.
TEST(random_operations_agree_with_an_array)
{
    enum { KEYS = 300, STEPS = 200000 };
    uint64_t expected[KEYS] = {0}, seed = 1, value;
    struct table table = {0};
    size_t used = 0;
    for (int step = 0; step < STEPS; step++) {
        seed = table_mix(seed, (uint64_t)step);
        uint64_t key = seed % KEYS;
        if (seed >> 32 & 1) {
            used += expected[key] == 0;
            CHECK_EQ(table_put(&table, key * 64, expected[key] = (uint64_t)step + 1), 0);
        } else {
            CHECK_EQ(table_remove(&table, key * 64), expected[key] != 0);
            used -= expected[key] != 0;
            expected[key] = 0;
        }
        CHECK_EQ(table.used, used);
        uint64_t probe = table_mix(seed, 7) % KEYS;
        bool found = table_get(&table, probe * 64, &value);
        CHECK_EQ(found, expected[probe] != 0);
        CHECK(!found || value == expected[probe]);
    }
    size_t at = 0, walked = 0;
    uint64_t key;
    while (table_next(&table, &at, &key, &value)) {
        CHECK_EQ(value, expected[key / 64]);
        walked++;
    }
    CHECK_EQ(walked, used);
    table_free(&table);
    CHECK(!table_get(&table, 0, &value));
}

// Pairs of small numbers, as of ids and flags, each have a hash of their own.
TEST(pairs_of_small_numbers_do_not_collide)
{
    enum { SIDE = 256 };
    struct table seen = {0};
    for (uint64_t first = 0; first < SIDE; first++)
        for (uint64_t second = 0; second < SIDE; second++)
            CHECK_EQ(table_put(&seen, table_mix(first, second), first * SIDE + second), 0);
    CHECK_EQ(seen.used, (size_t)SIDE * SIDE);
    table_free(&seen);
}
