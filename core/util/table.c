// SPDX-License-Identifier: Apache-2.0
// Open addressing with linear probing, at most three quarters full; removal closes the gap it makes.
#include "core/util/table.h"

#include <errno.h>
#include <stdlib.h>

enum { TABLE_FIRST_SIZE = 64 };

struct table_entry {
    uint64_t key, value;
    bool taken;
};

static size_t table_home(const struct table *table, uint64_t key)
{
    return table_mix(0, key) & (table->size - 1);
}

// Where the key is, or the free entry where it would go. The table must not be empty of entries.
static size_t table_find(const struct table *table, uint64_t key)
{
    size_t at = table_home(table, key);
    while (table->entries[at].taken && table->entries[at].key != key)
        at = (at + 1) & (table->size - 1);
    return at;
}

static int table_grow(struct table *table)
{
    struct table larger = {.size = table->size ? table->size * 2 : TABLE_FIRST_SIZE};
    larger.entries = calloc(larger.size, sizeof *larger.entries);
    if (!larger.entries)
        return -ENOMEM;
    for (size_t i = 0; i < table->size; i++)
        if (table->entries[i].taken)
            larger.entries[table_find(&larger, table->entries[i].key)] = table->entries[i];
    larger.used = table->used;
    free(table->entries);
    *table = larger;
    return 0;
}

bool table_get(const struct table *table, uint64_t key, uint64_t *value)
{
    if (table->size == 0)
        return false;
    const struct table_entry *entry = &table->entries[table_find(table, key)];
    if (entry->taken)
        *value = entry->value;
    return entry->taken;
}

int table_put(struct table *table, uint64_t key, uint64_t value)
{
    if (table->used * 4 >= table->size * 3) {
        int status = table_grow(table);
        if (status < 0)
            return status;
    }
    struct table_entry *entry = &table->entries[table_find(table, key)];
    table->used += !entry->taken;
    *entry = (struct table_entry){.key = key, .value = value, .taken = true};
    return 0;
}

bool table_remove(struct table *table, uint64_t key)
{
    if (table->size == 0)
        return false;
    size_t mask = table->size - 1, gap = table_find(table, key);
    if (!table->entries[gap].taken)
        return false;
    // Move back every later entry of the run that may stand in the gap: one whose home is not between gap and itself.
    for (size_t at = (gap + 1) & mask; table->entries[at].taken; at = (at + 1) & mask) {
        size_t home = table_home(table, table->entries[at].key);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            table->entries[gap] = table->entries[at];
            gap = at;
        }
    }
    table->entries[gap].taken = false;
    table->used--;
    return true;
}

void table_free(struct table *table)
{
    free(table->entries);
    *table = (struct table){0};
}

bool table_next(const struct table *table, size_t *at, uint64_t *key, uint64_t *value)
{
    for (; *at < table->size; ++*at) {
        const struct table_entry *entry = &table->entries[*at];
        if (entry->taken) {
            *key = entry->key;
            *value = entry->value;
            ++*at;
            return true;
        }
    }
    return false;
}
