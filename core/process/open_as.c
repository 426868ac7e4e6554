// SPDX-License-Identifier: Apache-2.0
#include "core/process/open_as.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of this thread; the C library's setgroups would change all threads.
static int open_as_set_groups(int count, const gid_t *groups)
{
    return syscall(SYS_setgroups, count, groups) < 0 ? -errno : 0;
}

// Returns whether it took effect: the call itself tells only what was before.
static bool open_as_set(struct open_as who)
{
    setfsgid(who.gid);
    setfsuid(who.uid);
    return (uid_t)setfsuid((uid_t)-1) == who.uid && (gid_t)setfsgid((gid_t)-1) == who.gid;
}

static int open_as_other(const char *path, int flags, struct open_as who)
{
    const struct open_as self = {.uid = geteuid(), .gid = getegid()};
    int fd = open_as_set(who) ? open(path, flags) : -1, status = fd;
    if (fd < 0)
        status = errno != 0 ? -errno : -EPERM;
    open_as_set(self);
    return status;
}

int open_as(const char *path, int flags, struct open_as who)
{
    if (geteuid() != 0 || who.uid == 0) {
        int fd = open(path, flags);
        return fd < 0 ? -errno : fd;
    }
    const int count = getgroups(0, NULL);
    gid_t *groups = count >= 0 ? calloc((size_t)count + 1, sizeof *groups) : NULL;
    if (!groups)
        return -ENOMEM;
    int status = getgroups(count, groups) == count ? open_as_set_groups(0, NULL) : -EPERM;
    if (status == 0) {
        errno = 0;
        status = open_as_other(path, flags, who);
        open_as_set_groups(count, groups);
    }
    free(groups);
    return status;
}
