// SPDX-License-Identifier: Apache-2.0
// Also linked into the preload library, where it runs between vfork and exec: no allocation, no global state.
#include "core/process/exec_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int exec_path_find(char *path, size_t size, const char *name)
{
    const char *search = getenv("PATH");
    int status = -ENOENT;
    for (const char *at = search ? search : EXEC_PATH_DEFAULT; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        int length = (int)strcspn(at, ":");
        struct stat file;
        snprintf(path, size, "%.*s%s%s", length, at, length ? "/" : "", name);
        if (stat(path, &file) < 0 || S_ISDIR(file.st_mode))
            continue;
        if (access(path, X_OK) == 0)
            return 0;
        status = -EACCES;
    }
    return status;
}
