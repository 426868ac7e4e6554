// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/user_folder.h"
#include "tests/c/check.h"

TEST(user_folder_is_never_one_that_others_can_write_to)
{
    char first[] = "/tmp/numaprof-test-XXXXXX", second[] = "/tmp/numaprof-test-XXXXXX", path[64], other[64];
    CHECK(mkdtemp(first) && mkdtemp(second));
    const char *const parents[] = {first, second, NULL};
    struct stat status;
    snprintf(path, sizeof path, "%s/numaprof-%u", first, (unsigned)geteuid());
    snprintf(other, sizeof other, "%s/numaprof-%u", second, (unsigned)geteuid());

    int fd = user_folder_open_in(parents);
    CHECK(fd >= 0 && fstat(fd, &status) == 0 && stat(path, &status) == 0);
    CHECK_EQ(status.st_mode & 07777, 0700);
    close(fd);

    CHECK_EQ(chmod(path, 0777), 0);
    fd = user_folder_open_in(parents);
    CHECK(fd >= 0 && stat(other, &status) == 0);
    close(fd);

    CHECK(rmdir(path) == 0 && symlink("/", path) == 0); // by whoever was first
    CHECK(rmdir(other) == 0 && mkfifo(other, 0700) == 0);
    CHECK(user_folder_open_in(parents) < 0);
    unlink(path);
    unlink(other);
    rmdir(first);
    rmdir(second);
}
