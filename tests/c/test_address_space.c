// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/processes/address_space.h"
#include "core/util/intern.h"
#include "tests/c/check.h"

enum { PAGES = 8, PLACED = 5 };

static struct address_space space;
static struct intern *paths;

static struct mapping *read_again(const char *memory)
{
    CHECK_EQ(address_space_read(&space, &paths, getpid()), 0);
    return address_space_find(&space, (uintptr_t)memory);
}

// As after lost records: else all that was touched before would be memory that the kernel filled by itself.
TEST(what_is_known_of_a_mapping_outlives_another_reading)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    // Between two that nobody may use: a mapping of its own.
    char *all = mmap(NULL, (PAGES + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *memory = all + page;
    CHECK(all != MAP_FAILED && mprotect(memory, PAGES * page, PROT_READ | PROT_WRITE) == 0);
    struct mapping *mapping = read_again(memory);
    CHECK(mapping && mapping->start == (uintptr_t)memory && mapping->end == (uintptr_t)memory + PAGES * page);
    const uint64_t serial = mapping->serial;
    mapping->placed_pages = PLACED;
    mapping->touched = true;
    mapping = read_again(memory);
    CHECK_EQ(mapping->placed_pages, PLACED);
    CHECK_EQ(mapping->serial, serial);
    CHECK(mapping->touched);
    CHECK(mprotect(memory, PAGES / 2 * page, PROT_READ | PROT_EXEC) == 0);
    mapping = read_again(memory);
    CHECK(mapping->executable && mapping->serial != serial);
    CHECK_EQ(mapping->end - mapping->start, PAGES / 2 * page);
    munmap(all, (PAGES + 2) * page);
    address_space_clear(&space);
    intern_free(paths);
    paths = NULL;
}

// The same place again is other memory: what was there is gone.
TEST(a_mapping_in_the_place_of_another_is_a_new_one)
{
    static const struct mapping mapping = {.start = 1 << 20, .end = 2 << 20, .path = ""};
    CHECK_EQ(address_space_add(&space, mapping), 0);
    struct mapping *found = address_space_find(&space, mapping.start);
    const uint64_t serial = found->serial;
    found->placed_pages = PLACED;
    CHECK_EQ(address_space_add(&space, mapping), 0);
    found = address_space_find(&space, mapping.start);
    CHECK_EQ(found->placed_pages, 0);
    CHECK(found->serial != serial);
    address_space_clear(&space);
}

TEST(a_gap_ends_where_the_next_mapping_begins)
{
    struct mapping items[] = {{.start = 0x1000, .end = 0x2000}, {.start = 0x400000000000, .end = 0x400000001000}};
    const struct address_space two = {.items = items, .count = 2};
    CHECK_EQ(address_space_next(&two, 0), 0x1000);
    CHECK_EQ(address_space_next(&two, 0x2000), 0x400000000000);
    CHECK(address_space_next(&two, 0x400000001000) == UINT64_MAX);
}
