// SPDX-License-Identifier: Apache-2.0
#include "profiler/install/installed_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int installed_files_find(char *path, size_t size, const char *name)
{
    static const char *const folders[] = {"", "../libexec/numaprof/", "../lib/numaprof/"};
    char self[PATH_MAX];
    if (!realpath("/proc/self/exe", self)) {
        const char *started_as = (const char *)getauxval(AT_EXECFN); // without /proc
        if (!started_as || !realpath(started_as, self))
            return -errno;
    }
    char *slash = strrchr(self, '/');
    if (!slash)
        return -ENOENT;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int n = snprintf(path, size, "%s%s%s", self, folders[i], name);
        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
            return 0;
    }
    return -ENOENT;
}
