// SPDX-License-Identifier: Apache-2.0
#include "profiler/beside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int beside_find(char *path, size_t size, const char *name)
{
    static const char *const places[] = {"", "../libexec/numaprof/", "../lib/numaprof/"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return -errno;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return -ENOENT;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, size, "%s%s%s", self, places[i], name);
        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
            return 0;
    }
    return -ENOENT;
}
