// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "core/topology/cpulist.h"
#include "tests/c/check.h"

static const char *round_trip(const char *text)
{
    static char out[256];
    struct cpulist set;
    CHECK_EQ(cpulist_parse(&set, text), 0);
    return cpulist_format(out, sizeof out, &set);
}

TEST(lists_come_back_in_canonical_form)
{
    CHECK_STR(round_trip("0-3,7\n"), "0-3,7");
    CHECK_STR(round_trip("7,1,0,2"), "0-2,7");
    CHECK_STR(round_trip(""), "");
    CHECK_STR(round_trip("63,64,128-130,8191"), "63-64,128-130,8191");
    CHECK_STR(round_trip("0-10:1/4"), "0,4,8");
    CHECK_STR(round_trip("0-7:2/4"), "0-1,4-5");
}

TEST(what_is_no_list_is_refused)
{
    struct cpulist set;
    const char *const bad[] = {"x", "1,", ",1", "3-1", "1-", "-1", "0-3:0/4", "0-3:5/4", "0-3:1", "1 2", "1,\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(cpulist_parse(&set, bad[i]), -EINVAL);
    CHECK_EQ(cpulist_parse(&set, "8192"), -ERANGE);
    CHECK_EQ(cpulist_parse(&set, "99999999999999999999"), -ERANGE);
}

TEST(masks_are_read_from_the_lowest_word)
{
    struct cpulist set;
    char out[64];
    CHECK_EQ(cpulist_parse_mask(&set, "00000001,80000000,0000000f\n"), 0);
    CHECK_STR(cpulist_format(out, sizeof out, &set), "0-3,63-64");
    CHECK_EQ(cpulist_parse_mask(&set, "aA"), 0);
    CHECK_STR(cpulist_format(out, sizeof out, &set), "1,3,5,7");
    CHECK_EQ(cpulist_parse_mask(&set, "0\n"), 0);
    CHECK_EQ(cpulist_count(&set), 0);
    const char *const bad[] = {"", "\n", "0-3", "x", "1,1", "0x1", " 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(cpulist_parse_mask(&set, bad[i]), -EINVAL);
}

TEST(masks_end_at_the_largest_number)
{
    struct cpulist set;
    char text[CPULIST_MAX / 4 + 2];
    memset(text, '0', sizeof text);
    text[sizeof text - 1] = '\0';
    text[1] = '8';
    CHECK_EQ(cpulist_parse_mask(&set, text), 0);
    CHECK_EQ(cpulist_next(&set, 0), CPULIST_MAX - 1);
    text[0] = '1';
    CHECK_EQ(cpulist_parse_mask(&set, text), -ERANGE);
}

TEST(order_of_the_text_is_kept_once)
{
    int n[8];
    CHECK_EQ(cpulist_order(n, 8, "6,0-2,1,4"), 5);
    CHECK_EQ(n[0], 6);
    CHECK_EQ(n[1], 0);
    CHECK_EQ(n[4], 4);
}

TEST(members_are_walked_across_gaps)
{
    struct cpulist set;
    cpulist_parse(&set, "5,200,8191");
    CHECK_EQ(cpulist_next(&set, 0), 5);
    CHECK_EQ(cpulist_next(&set, 6), 200);
    CHECK_EQ(cpulist_next(&set, 201), 8191);
    CHECK_EQ(cpulist_next(&set, 8192), -1);
    CHECK_EQ(cpulist_count(&set), 3);
    CHECK(!cpulist_has(&set, 6));
}

TEST(long_lists_are_shortened_between_numbers)
{
    char out[CPULIST_SHORT_BYTES], all[CPULIST_TEXT_BYTES];
    struct cpulist set;
    cpulist_parse(&set, "0,2,4,6,8,10,12,14,16,18,20,22");
    CHECK_STR(cpulist_shorten(out, sizeof out, &set), "0,2,4,6,8,10,12,14,16,18,20,22"); // 30 and NUL
    cpulist_add(&set, 24);
    CHECK_STR(cpulist_shorten(out, sizeof out, &set), "0,2,4,6,8,10,12,14,16,... (13)");
    set = (struct cpulist){0};
    CHECK_STR(cpulist_shorten(out, sizeof out, &set), "");
    for (int i = 1; i < CPULIST_MAX; i += 2)
        cpulist_add(&set, i);
    CHECK_EQ(strlen(cpulist_format(all, sizeof all, &set)), 4096 * 5 - 5 * 3 - 45 * 2 - 450 - 1);
    CHECK_STR(cpulist_shorten(out, sizeof out, &set), "1,3,5,7,9,11,13,15,... (4096)");
}
