// SPDX-License-Identifier: Apache-2.0
#include "core/text/diag.h"
#include "tests/c/check.h"

static const char *clean(const char *text)
{
    static char out[256];
    return diag_clean(out, sizeof out, text);
}

TEST(plain_text_and_utf8_stay)
{
    CHECK_STR(clean("sum ä 数 🙂"), "sum ä 数 🙂");
}

TEST(escapes_and_controls_become_text)
{
    CHECK_STR(clean("a\033[31mb\nc\x7f"), "a\\x1b[31mb\\x0ac\\x7f");
    CHECK_STR(clean("\xc2\x9b" "31m"), "\\xc2\\x9b31m"); // C1 CSI
}

TEST(invalid_utf8_and_direction_marks_become_text)
{
    CHECK_STR(clean("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
    CHECK_STR(clean("\xed\xa0\x80"), "\\xed\\xa0\\x80");
    CHECK_STR(clean("\xe2\x80\xae" "x"), "\\xe2\\x80\\xaex");
    CHECK_STR(clean("\xe4\xb8"), "\\xe4\\xb8");
}

TEST(short_buffer_ends_on_a_whole_character)
{
    char out[4];
    CHECK_STR(diag_clean(out, sizeof out, "ab\xc3\xa4"), "ab");
    CHECK_STR(diag_clean(out, 1, "ab"), "");
}
