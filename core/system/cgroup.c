// SPDX-License-Identifier: Apache-2.0
#include "core/system/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"

// A line is "HIERARCHY:CONTROLLERS:PATH"; that of version 2 has hierarchy 0 and no controllers.
static int cgroup_find(char *path, size_t size, const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, "0::/", 4) == 0) {
            int n = snprintf(path, size, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
            return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
        }
    return -ENOENT;
}

int cgroup_path(char *path, size_t size, const char *root)
{
    char *text = NULL;
    int status = sysfile_whole(root, &text, "/proc/self/cgroup");
    if (status >= 0)
        status = cgroup_find(path, size, text);
    free(text);
    return status;
}
