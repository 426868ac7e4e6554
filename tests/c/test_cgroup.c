// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "core/system/cgroup.h"
#include "tests/c/check.h"

static const char *path_of(const char *text)
{
    static char path[64];
    check_write("proc/self/cgroup", text);
    CHECK_EQ(cgroup_path(path, sizeof path, "."), 0);
    return path;
}

TEST(version_2_has_one_line)
{
    CHECK_STR(path_of("0::/\n"), "/");
    CHECK_STR(path_of("0::/system.slice/slurmstepd.scope/job_7\n"), "/system.slice/slurmstepd.scope/job_7");
    CHECK_STR(path_of("0::/no newline"), "/no newline");
}

TEST(of_both_versions_the_group_of_version_2_counts)
{
    CHECK_STR(path_of("10:memory:/old\n1:name=systemd:/old\n0::/new\n"), "/new");
    CHECK_STR(path_of("0::/first\n1:cpuset:/old\n"), "/first");
    CHECK_STR(path_of("1:name=0::/trap:/old\n10::/other\n0::/new\n"), "/new");
}

TEST(version_1_alone_has_no_such_group)
{
    char path[64];
    check_write("proc/self/cgroup", "11:cpuset:/job\n10:memory:/job\n1:name=systemd:/init.scope\n");
    CHECK_EQ(cgroup_path(path, sizeof path, "."), -ENOENT);
    CHECK_EQ(cgroup_path(path, sizeof path, "nowhere"), -ENOENT);
}

TEST(a_path_that_does_not_fit_is_not_cut_off)
{
    char path[8];
    check_write("proc/self/cgroup", "0::/1234567\n");
    CHECK_EQ(cgroup_path(path, sizeof path, "."), -ENAMETOOLONG);
    check_write("proc/self/cgroup", "0::/123456\n");
    CHECK_EQ(cgroup_path(path, sizeof path, "."), 0);
}
