// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/pages/numa_maps.h"
#include "tests/c/check.h"

struct seen {
    int count;
    struct numa_maps_count of[8];
};

static void keep(void *context, const struct numa_maps_count *count)
{
    struct seen *seen = context;
    if (seen->count < 8)
        seen->of[seen->count++] = *count;
}

TEST(counts_by_node_in_base_pages)
{
    struct seen seen = {0};
    numa_maps_parse("7f00 default anon=6 dirty=6 active=0 N0=4 N3=2 kernelpagesize_kB=4\n"
                    "9000 bind:1 huge anon=1 N1=1 kernelpagesize_kB=2048\n"
                    "a000 default file=/lib/N7=9 mapped=3\n"
                    "nonsense N0=1\n\n",
                    4096, keep, &seen);
    CHECK_EQ(seen.count, 3);
    CHECK(seen.of[0].mapping == 0x7f00 && seen.of[0].node == 0 && seen.of[0].pages == 4);
    CHECK(seen.of[1].mapping == 0x7f00 && seen.of[1].node == 3 && seen.of[1].pages == 2);
    CHECK(seen.of[2].mapping == 0x9000 && seen.of[2].node == 1 && seen.of[2].pages == 512);
}

// A recording takes one row an address. The second mapping begins where the first one's second count is.
TEST(each_count_has_its_own_address)
{
    struct seen seen = {0};
    numa_maps_parse("1000 default N0=1 N1=1\n2000 default N0=3\n3000 default N1=1\n9000 default N1=1\n",
                    4096, keep, &seen);
    const uint64_t addresses[] = {0x1000, 0x2000, 0x3000, 0x4000, 0x9000};
    CHECK_EQ(seen.count, 5);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(seen.of[i].address, addresses[i]);
}

struct wanted {
    uint64_t address, pages;
};

static void sum(void *context, const struct numa_maps_count *count)
{
    struct wanted *wanted = context;
    if (count->mapping == wanted->address)
        wanted->pages += count->pages;
}

TEST(own_memory_is_found)
{
    enum { PAGES = 37 };
    // A wall on both sides keeps the kernel from merging it with a neighbour.
    char *wall = mmap(NULL, (PAGES + 2) * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *memory = wall + 4096;
    mprotect(memory, PAGES * 4096, PROT_READ | PROT_WRITE);
    memset(memory, 1, PAGES * 4096);
    struct wanted wanted = {.address = (uintptr_t)memory};
    if (numa_maps_read(getpid(), 4096, sum, &wanted) == 0) // a kernel without NUMA has no such file
        CHECK_EQ(wanted.pages, PAGES);
}
