// SPDX-License-Identifier: Apache-2.0
#include "core/system/user_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int user_folder_check(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -errno;
    return status.st_uid == geteuid() && (status.st_mode & 077) == 0 ? 0 : -EACCES;
}

static int user_folder_try(const char *parent)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/numaprof-%u", parent, (unsigned)geteuid()) >= (int)sizeof path)
        return -ENAMETOOLONG;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -errno;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int status = fd < 0 ? -errno : user_folder_check(fd);
    if (status == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return status;
}

int user_folder_open_in(const char *const *parents)
{
    int status = -ENOENT;
    for (; *parents && status < 0; parents++)
        status = user_folder_try(*parents);
    return status;
}

int user_folder_open(void)
{
    static const char *const parents[] = {"/dev/shm", "/tmp", NULL};
    return user_folder_open_in(parents);
}
