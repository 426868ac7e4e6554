// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/jit_symbols.h"

#include "check.h"
#include "core/util/table.h"

static struct jit_symbols parse(const char *content)
{
    struct jit_symbols map;
    char *text = malloc(strlen(content) + 1);
    strcpy(text, content);
    CHECK_EQ(jit_symbols_parse(&map, text, strlen(content)), 0);
    map.text = text;
    return map;
}

static const char *name_at(const struct jit_symbols *map, uint64_t address)
{
    const struct jit_symbols_entry *entry = jit_symbols_find(map, address);
    return entry ? entry->name : "none";
}

TEST(names_have_a_beginning_and_an_end)
{
    struct jit_symbols map = parse("2000 10 second one\n0x1000 20 first\n");
    CHECK_STR(name_at(&map, 0x1000), "first");
    CHECK_STR(name_at(&map, 0x101f), "first");
    CHECK_STR(name_at(&map, 0x1020), "none");
    CHECK_STR(name_at(&map, 0x2008), "second one");
    CHECK_STR(name_at(&map, 0xfff), "none");
    jit_symbols_free(&map);
}

TEST(what_was_cut_off_is_no_entry)
{
    struct jit_symbols map = parse("1000 20 first\n2000 20 sec");
    CHECK_EQ(map.count, 1);
    CHECK_EQ(map.malformed, 1);
    CHECK_STR(name_at(&map, 0x2000), "none");
    jit_symbols_free(&map);
}

TEST(what_is_no_entry_is_passed_over)
{
    struct jit_symbols map = parse("\n \nxyz\n1000\n1000 20\n1000 20 \n1000 0 empty\nffffffffffffffff 2 wraps\n"
                                   "10000000000000000 1 too long\n3000 8 good\n");
    CHECK_EQ(map.count, 1);
    CHECK_EQ(map.malformed, 9);
    CHECK_STR(name_at(&map, 0x3000), "good");
    jit_symbols_free(&map);
}

TEST(code_that_replaced_other_code_has_no_name)
{
    struct jit_symbols map = parse("1000 100 old\n1080 100 new\n5000 10 same\n5000 10 same\n");
    CHECK_STR(name_at(&map, 0x1010), "old");
    CHECK_STR(name_at(&map, 0x1090), "none");
    CHECK_STR(name_at(&map, 0x1110), "new");
    CHECK_STR(name_at(&map, 0x5004), "same");
    jit_symbols_free(&map);
}

TEST(a_hostile_number_of_overlaps_is_given_up)
{
    enum { LINES = 20000 };
    char *text = malloc(LINES * 32 + 1), *at = text;
    struct jit_symbols map;
    for (int i = 0; i < LINES; i++)
        at += sprintf(at, "%x ffffff f\n", i + 1);
    CHECK_EQ(jit_symbols_parse(&map, text, (size_t)(at - text)), 0);
    for (int i = 0; i < LINES; i++)
        CHECK_STR(name_at(&map, LINES + 1), "none");
    map.text = text;
    jit_symbols_free(&map);
}

// Any bytes: a name that is found lies in the text, and its range holds the address.
TEST(random_bytes_are_no_danger)
{
    static const char alphabet[] = "0123456789abcdef \n\nx\0zF";
    uint64_t state = 1;
    for (int round = 0; round < 2000; round++) {
        char content[200];
        for (size_t i = 0; i < sizeof content; i++)
            content[i] = alphabet[(state = table_mix(state, 1)) % (sizeof alphabet - 1)];
        char *text = malloc(sizeof content + 1);
        memcpy(text, content, sizeof content);
        struct jit_symbols map;
        CHECK_EQ(jit_symbols_parse(&map, text, sizeof content), 0);
        map.text = text;
        for (uint64_t address = 0; address < 4096; address += 7) {
            const struct jit_symbols_entry *entry = jit_symbols_find(&map, address);
            CHECK(!entry || (entry->start <= address && address < entry->end));
            CHECK(!entry || (entry->name >= text && entry->name < text + sizeof content));
        }
        jit_symbols_free(&map);
    }
}
