// SPDX-License-Identifier: Apache-2.0
// Memory that has a descriptor, to be shared with another process.
#ifndef CORE_PROCESS_MEMORY_FILE_H
#define CORE_PROCESS_MEMORY_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// A descriptor of that much memory, all zero, which closes on exec and can never be cut short; or -errno. The limit for
// files (ulimit -f) holds for these too, and who breaks it is killed by SIGXFSZ: so it is asked for first.
static inline int memory_file_make(const char *name, size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes)
        return -EFBIG;
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    if (ftruncate(fd, (off_t)bytes) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0) {
        int status = -errno;
        close(fd);
        return status;
    }
    return fd;
}

#endif
