// SPDX-License-Identifier: Apache-2.0
// The files that a target ran, looked for below another root.
#include "profiler/symbols/files/program_files.h"

#include <errno.h>

#include "check.h"

static struct program_files *below_root(void)
{
    struct program_files *files = program_files_new();
    CHECK(files != NULL);
    check_write("root/lib/theirs.so", "theirs");
    program_files_of_elsewhere(files, "root");
    return files;
}

TEST(a_file_of_elsewhere_is_found_below_its_root)
{
    struct program_files *files = below_root();
    CHECK(program_files_descriptor(files, "/lib/theirs.so") >= 0);
    CHECK_EQ(program_files_missing(files), 0);
    program_files_free(files);
}

TEST(a_file_of_elsewhere_without_memory_for_its_path_is_not_read_and_counted_as_missing)
{
    struct program_files *files = below_root();
    check_no_memory = true;
    CHECK_EQ(program_files_descriptor(files, "/lib/theirs.so"), -ENOMEM);
    CHECK_EQ(program_files_missing(files), 1);
    CHECK_EQ(program_files_stale(files), 0);
    program_files_free(files);
}
