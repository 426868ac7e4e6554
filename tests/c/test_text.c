// SPDX-License-Identifier: Apache-2.0
#include "core/text/json.h"
#include "core/text/units.h"
#include "core/text/utf8.h"
#include "tests/c/check.h"

static const char *json(const char *text)
{
    static char out[256];
    FILE *file = fmemopen(out, sizeof out, "w");
    json_text(file, text);
    fclose(file);
    return out;
}

TEST(json_escapes_what_json_cannot_hold)
{
    CHECK_STR(json("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\u000a\\u007f\"");
    CHECK_STR(json("sum ä 数 🙂"), "\"sum ä 数 🙂\"");
    CHECK_STR(json("\xff\xc3"), "\"\\udcff\\udcc3\"");
}

TEST(utf8_sequences_have_their_length)
{
    CHECK_EQ(utf8_length(""), 0);
    CHECK_EQ(utf8_length("a"), 1);
    CHECK_EQ(utf8_length("ä"), 2);
    CHECK_EQ(utf8_length("数"), 3);
    CHECK_EQ(utf8_length("🙂"), 4);
    CHECK_EQ(utf8_length("\xc0\xaf"), 0);         // overlong
    CHECK_EQ(utf8_length("\xed\xa0\x80"), 0);     // surrogate
    CHECK_EQ(utf8_length("\xf4\x90\x80\x80"), 0); // beyond U+10FFFF
}

TEST(bytes_are_written_for_people)
{
    char out[UNITS_BYTES_TEXT];
    CHECK_STR(units_bytes(out, -1), "n/a");
    CHECK_STR(units_bytes(out, 0), "0 B");
    CHECK_STR(units_bytes(out, 999), "999 B");
    CHECK_STR(units_bytes(out, 1000), "1.0 KiB");
    CHECK_STR(units_bytes(out, 32 << 20), "32 MiB");
    CHECK_STR(units_bytes(out, 67445739520), "62.8 GiB");
    CHECK_STR(units_bytes(out, INT64_MAX), "8 EiB");
}
