// SPDX-License-Identifier: Apache-2.0
#include "collectors/processes/namespaces.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"

// The last number of the line "NSpid:" is the thread's in its own namespace.
static pid_t namespaces_inner_tid(pid_t pid, const char *task)
{
    char text[4096];
    if (sysfile_text("", text, sizeof text, "/proc/%d/task/%s/status", pid, task) < 0)
        return 0;
    const char *line = strstr(text, "\nNSpid:");
    if (!line)
        return 0;
    const char *end = strchr(line + 1, '\n');
    const char *last = end ? end : line + strlen(line);
    while (last > line && last[-1] >= '0' && last[-1] <= '9')
        last--;
    return (pid_t)atoi(last);
}

pid_t namespaces_outer_tid(pid_t pid, pid_t inner)
{
    char path[64];
    pid_t found = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return 0;
    for (const struct dirent *entry; (entry = readdir(tasks));) {
        if (entry->d_name[0] != '.' && namespaces_inner_tid(pid, entry->d_name) == inner) {
            found = (pid_t)atoi(entry->d_name);
            break;
        }
    }
    closedir(tasks);
    return found;
}
