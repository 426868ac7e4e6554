// SPDX-License-Identifier: Apache-2.0
// Hash table from one number to another. Grows by doubling; a key is stored once.
#ifndef CORE_UTIL_TABLE_H
#define CORE_UTIL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {               // all zero: an empty table
    struct table_entry *entries;
    size_t size, used;
};

// False if the key is not there; then *value stays as it was.
bool table_get(const struct table *table, uint64_t key, uint64_t *value);
// Adds or replaces. -ENOMEM: the table is as before.
int table_put(struct table *table, uint64_t key, uint64_t value);
// Removes; false if it was not there.
bool table_remove(struct table *table, uint64_t key);
void table_free(struct table *table);

// Walks all entries: start with *at = 0; false at the end. The table must not change meanwhile, but for the entry that
// was returned last: whoever removes that one calls table_removed before the walk goes on. Such a walk may return an
// entry twice, where a run of entries goes on at the table's start.
bool table_next(const struct table *table, size_t *at, uint64_t *key, uint64_t *value);

// A later entry may have moved to the place of the removed one: the walk looks there again.
static inline void table_removed(size_t *at)
{
    --*at;
}

// Mixes a number into a hash so that every bit of the input moves about half of the output's (splitmix64's finaliser,
// and its step between numbers). The two do not weigh alike: (0, 158) and (1, 159) are different pairs.
static inline uint64_t table_mix(uint64_t hash, uint64_t number)
{
    uint64_t z = (hash + 1) * UINT64_C(0x9e3779b97f4a7c15) + number;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t table_mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = table_mix(hash, (unsigned char)*text);
    return hash;
}

#endif
