// SPDX-License-Identifier: Apache-2.0
// Opens a file that another user may have named, or exchanged for a FIFO or a device: none of these makes the reader
// wait.
#ifndef CORE_PROCESS_REGULAR_FILE_H
#define CORE_PROCESS_REGULAR_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// For reading. flags: added to those of open(2). Returns a descriptor or -errno; -EINVAL: no regular file. *status is
// all zero where no file was reached. A read of /proc/kmsg without a message, a regular file, is -EAGAIN.
static inline int regular_file_open(const char *path, int flags, struct stat *status)
{
    *status = (struct stat){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd < 0)
        return -errno;
    if (fstat(fd, status) == 0 && S_ISREG(status->st_mode))
        return fd;
    close(fd);
    return -EINVAL;
}

#endif
