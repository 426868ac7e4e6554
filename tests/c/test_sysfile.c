// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "tests/c/check.h"

TEST(text_loses_the_blanks_at_its_end_and_must_fit)
{
    char out[8];
    check_write("a", " 1\n2 \r\n");
    CHECK_EQ(sysfile_text(".", out, sizeof out, "/%s", "a"), 4);
    CHECK_STR(out, " 1\n2");
    CHECK_EQ(sysfile_text(".", out, 7, "/a"), -EFBIG);
    CHECK_EQ(sysfile_text(".", out, sizeof out, "/b"), -ENOENT);
}

TEST(numbers_are_whole_files)
{
    int64_t value = 7;
    check_write("n", "-42 \r\n");
    CHECK_EQ(sysfile_number(".", &value, "/n"), 0);
    CHECK_EQ(value, -42);
    check_write("n", "42 kB\n");
    CHECK_EQ(sysfile_number(".", &value, "/n"), -EINVAL);
    check_write("n", "99999999999999999999\n");
    CHECK_EQ(sysfile_number(".", &value, "/n"), -EINVAL);
    CHECK_EQ(value, -42);
}

TEST(whole_files_may_be_long)
{
    FILE *file = fopen("long", "w");
    for (int i = 0; i < 100000; i++)
        fputc('x', file);
    fclose(file);
    char *text;
    CHECK_EQ(sysfile_whole(".", &text, "/long"), 100000);
    CHECK_EQ(strlen(text), 100000);
    free(text);
}

TEST(links_are_read_not_followed)
{
    char out[24];
    CHECK_EQ(symlink("pid:[4026531836]", "link"), 0);
    CHECK_EQ(sysfile_link(".", out, sizeof out, "/link"), 16);
    CHECK_STR(out, "pid:[4026531836]");
    CHECK_EQ(sysfile_link(".", out, 16, "/link"), -EFBIG);
    check_write("file", "");
    CHECK_EQ(sysfile_link(".", out, sizeof out, "/file"), -EINVAL);
}

static void join(void *to, const char *name)
{
    strcat(strcat(to, name), " ");
}

TEST(names_come_in_order_without_dots)
{
    char names[64] = "";
    CHECK_EQ(mkdir("d", 0755), 0);
    check_write("d/b", "");
    check_write("d/a", "");
    check_write("d/.hidden", "");
    CHECK_EQ(sysfile_names(".", join, names, "/d"), 0);
    CHECK_STR(names, "a b ");
    CHECK_EQ(sysfile_names(".", join, names, "/none"), -ENOENT);
}
