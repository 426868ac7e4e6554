// SPDX-License-Identifier: Apache-2.0
#include "profiler/install/preload_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profiler/install/installed_files.h"

// Weak: there only in the program of `make static` (profiler/install/static/preload_image.c).
extern const char preload_image[] __attribute__((weak));
extern const char preload_image_end[] __attribute__((weak));

static int preload_file_write(int fd)
{
    const char *at = preload_image;
    while (at < preload_image_end) {
        ssize_t n = write(fd, at, (size_t)(preload_image_end - at));
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            at += n;
    }
    return 0;
}

// In memory: no folder must be writable or allow execution, and nothing is left behind by a kill. The descriptor stays
// open, as the target reaches the file through it.
static int preload_file_unpack(char *path, size_t size)
{
    int fd = memfd_create("libnumaprof-preload.so", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    int status = preload_file_write(fd);
    if (status == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        status = -errno; // else one process of the target could change the code of the others
    if (status < 0) {
        close(fd);
        return status;
    }
    int n = snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), fd);
    return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

int preload_file_find(char *path, size_t size)
{
    int status = installed_files_find(path, size, "libnumaprof-preload.so");
    return status < 0 && preload_image ? preload_file_unpack(path, size) : status;
}
