// SPDX-License-Identifier: Apache-2.0
// The variables of this program itself, from its symbol table.
#include "profiler/symbols/variables.h"

#include <limits.h>
#include <unistd.h>

#include "check.h"

static _Thread_local char variables_own_block[512];

struct found {
    size_t named, all;
};

static void take(void *owner, const struct objects_variable *variable)
{
    struct found *found = owner;
    found->all++;
    found->named += strcmp(variable->name, "variables_own_block") == 0 && variable->bytes == sizeof variables_own_block;
}

static struct found find(void)
{
    static char path[PATH_MAX]; // its address is the file's key
    struct found found = {0};
    struct program_files *files = program_files_new();
    struct variables *variables = files ? variables_open(files) : NULL;
    variables_own_block[0]++; // so that it is there
    CHECK(variables && readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    variables_each_local(variables, path, take, &found);
    variables_close(variables);
    program_files_free(files);
    return found;
}

TEST(a_variable_of_threads_is_found_with_its_name_and_size)
{
    CHECK_EQ(find().named, 1);
}

TEST(a_variable_without_memory_for_its_name_is_left_out)
{
    check_no_memory = true;
    CHECK_EQ(find().all, 0);
}
