// SPDX-License-Identifier: Apache-2.0
#include "core/util/search.h"

#include "core/util/table.h"
#include "tests/c/check.h"

struct item {
    uint32_t before;
    uint64_t key;
    uint32_t behind;
};

static size_t at_most(const struct item *items, size_t count, uint64_t key)
{
    return search_at_most(items, count, sizeof *items, offsetof(struct item, key), key);
}

// Sorted keys, some of them the same, and every key that is there, beside one or missing, counted from end to end.
TEST(random_items_agree_with_a_count)
{
    enum { ITEMS = 40, ROUNDS = 500 };
    uint64_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct item items[ITEMS];
        uint64_t key = 0;
        size_t count = (size_t)round % ITEMS;
        for (size_t i = 0; i < count; i++) {
            seed = table_mix(seed, i);
            key += seed % 4;
            items[i] = (struct item){.before = UINT32_MAX, .key = key, .behind = UINT32_MAX};
        }
        for (uint64_t probe = 0; probe <= key + 1; probe++) {
            size_t expected = 0;
            for (size_t i = 0; i < count; i++)
                expected += items[i].key <= probe;
            CHECK_EQ(at_most(items, count, probe), expected);
        }
    }
}

TEST(the_ends_of_what_a_key_can_be)
{
    const struct item items[] = {{.key = 0}, {.key = 1}, {.key = UINT64_MAX}};
    CHECK_EQ(at_most(NULL, 0, 0), 0);
    CHECK_EQ(at_most(items, 3, 0), 1);
    CHECK_EQ(at_most(items, 3, UINT64_MAX - 1), 2);
    CHECK_EQ(at_most(items, 3, UINT64_MAX), 3);
}
