// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/text/json.h"
#include "core/text/units.h"
#include "core/text/utf8.h"
#include "tests/c/check.h"

static const char *json(const char *text)
{
    static char out[256];
    FILE *file = fmemopen(out, sizeof out, "w");
    struct json writer = {.file = file};
    json_text(&writer, NULL, text);
    fclose(file);
    return out;
}

TEST(json_escapes_what_json_cannot_hold)
{
    CHECK_STR(json("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\u000a\\u007f\"");
    CHECK_STR(json("sum ä 数 🙂"), "\"sum ä 数 🙂\"");
    CHECK_STR(json("\xff\xc3"), "\"\\udcff\\udcc3\"");
}

TEST(json_writes_words_on_one_line)
{
    char *none = json_words(NULL, 0), *two = json_words((const char *const[]){"./a b", "\"", "unused"}, 2);
    CHECK_STR(none, "[]");
    CHECK_STR(two, "[\"./a b\", \"\\\"\"]");
    free(none);
    free(two);
}

TEST(json_has_its_commas_and_lines)
{
    static char out[512];
    FILE *file = fmemopen(out, sizeof out, "w");
    struct json writer = json_begin(file, "example", 3);
    json_text(&writer, "text", NULL);
    json_array(&writer, "empty");
    json_close(&writer);
    json_array(&writer, "remarks");
    json_text(&writer, NULL, "one");
    json_text(&writer, NULL, "two");
    json_close(&writer);
    json_array(&writer, "rows");
    for (int i = -1; i < 1; i++) {
        json_object(&writer, NULL);
        json_number_known(&writer, "known", i);
        json_array(&writer, "numbers");
        json_real(&writer, NULL, 0.5);
        json_real(&writer, NULL, NAN);
        json_close(&writer);
        json_close(&writer);
    }
    json_close(&writer);
    json_object(&writer, "inline");
    json_hex(&writer, "hex", 0x1b7);
    json_flag(&writer, "flag", true);
    json_close(&writer);
    json_end(&writer);
    fclose(file);
    CHECK_STR(out, "{\n  \"format\": \"numaprof.example\",\n  \"version\": 3,\n  \"text\": null,\n  \"empty\": [],\n"
                   "  \"remarks\": [\n    \"one\",\n    \"two\"\n  ],\n"
                   "  \"rows\": [\n    {\"known\": null, \"numbers\": [0.5, null]},\n"
                   "    {\"known\": 0, \"numbers\": [0.5, null]}\n  ],\n"
                   "  \"inline\": {\"hex\": \"0x1b7\", \"flag\": true}\n}\n");
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
