// SPDX-License-Identifier: Apache-2.0
// The access patterns of numaprof verify, seen from the memory that they use.
#include <stdbool.h>

#include "check.h"
#include "profiler/verify/verify_access.h"

enum { LINES = 1024, BYTES = LINES * VERIFY_ACCESS_BLOCK, LINE = 64, STORE_AT = 8 };

static _Alignas(4096) char chunk[BYTES];

static struct verify_access access_of_all(void)
{
    memset(chunk, 0, sizeof chunk);
    verify_access_link(chunk, LINES);
    return (struct verify_access){.chunk = chunk, .lines = LINES, .chunks = 1};
}

static char *next(char *block)
{
    char *to;
    memcpy(&to, block, sizeof to);
    return to;
}

static void check_links(void)
{
    static bool seen[LINES];
    char *at = chunk;
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < LINES; i++, at = next(at)) {
        CHECK_EQ((at - chunk) % VERIFY_ACCESS_BLOCK, 0);
        CHECK(!seen[(at - chunk) / VERIFY_ACCESS_BLOCK]);
        seen[(at - chunk) / VERIFY_ACCESS_BLOCK] = true;
    }
    CHECK(at == chunk);
}

static int stored(size_t at)
{
    int count = 0;
    for (int block = 0; block < LINES; block++)
        count += chunk[(size_t)block * VERIFY_ACCESS_BLOCK + at] == 1;
    return count;
}

TEST(the_walk_visits_every_block_once_and_hardly_ever_a_neighbour_of_the_one_before)
{
    int neighbours = 0;
    access_of_all();
    check_links();
    for (char *at = chunk; next(at) != chunk; at = next(at))
        neighbours += next(at) - at == VERIFY_ACCESS_BLOCK || at - next(at) == VERIFY_ACCESS_BLOCK;
    CHECK(neighbours <= LINES / 100);
}

TEST(stores_touch_one_line_of_every_block_and_leave_the_walk_alone)
{
    const struct verify_access all = access_of_all();
    verify_access_stores(&all);
    CHECK_EQ(stored(STORE_AT), LINES);
    CHECK_EQ(stored(LINE + STORE_AT), 0);
    check_links();
}

TEST(what_others_modify_are_the_lines_that_are_read_and_the_other_line_of_each_pair)
{
    const struct verify_access all = access_of_all();
    verify_access_modify_blocks(&all);
    CHECK_EQ(stored(STORE_AT), LINES);
    CHECK_EQ(stored(LINE + STORE_AT), LINES);
    CHECK_EQ(stored(2 * LINE + STORE_AT), 0);
    check_links();
}

TEST(a_stream_is_as_many_lines_as_a_walk)
{
    const struct verify_access all = access_of_all();
    verify_access_modify_stream(&all);
    for (int line = 0; line < 4 * LINES; line++)
        CHECK_EQ(chunk[(size_t)line * LINE + STORE_AT], line < LINES);
    check_links();
}

TEST(a_neighbour_leaves_the_walk_alone)
{
    const struct verify_access all = access_of_all();
    verify_access_mixed(&all);
    CHECK_EQ(stored(2 * LINE + STORE_AT), LINES);
    CHECK_EQ(stored(STORE_AT), 0);
    check_links();
}
