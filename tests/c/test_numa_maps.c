// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/pages/numa_maps.h"
#include "tests/c/check.h"

struct seen {
    int count;
    uint64_t address[8], pages[8];
    int node[8];
};

static void keep(void *context, uint64_t address, int node, uint64_t pages)
{
    struct seen *seen = context;
    if (seen->count == 8)
        return;
    seen->address[seen->count] = address;
    seen->node[seen->count] = node;
    seen->pages[seen->count++] = pages;
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
    CHECK(seen.address[0] == 0x7f00 && seen.node[0] == 0 && seen.pages[0] == 4);
    CHECK(seen.address[1] == 0x7f00 && seen.node[1] == 3 && seen.pages[1] == 2);
    CHECK(seen.address[2] == 0x9000 && seen.node[2] == 1 && seen.pages[2] == 512);
}

struct wanted {
    uint64_t address, pages;
};

static void sum(void *context, uint64_t address, int node, uint64_t pages)
{
    struct wanted *wanted = context;
    (void)node;
    if (address == wanted->address)
        wanted->pages += pages;
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
