// SPDX-License-Identifier: Apache-2.0
#include "core/process/process_stat.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"

int process_stat_read(char *text, size_t size, const char **fields, pid_t pid)
{
    int status = sysfile_text("", text, size, "/proc/%d/stat", pid);
    if (status < 0)
        return status;
    const char *name_end = strrchr(text, ')');
    if (!name_end || name_end[1] != ' ')
        return -EINVAL;
    *fields = name_end + 2;
    return 0;
}

bool process_stat_has_ended(pid_t tid)
{
    char text[512];
    const char *fields;
    return process_stat_read(text, sizeof text, &fields, tid) < 0 || process_stat_is_ended(*fields);
}

pid_t process_stat_shown(pid_t pid)
{
    char path[64];
    pid_t shown = pid;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = process_stat_has_ended(pid) ? opendir(path) : NULL;
    for (const struct dirent *entry; folder && shown == pid && (entry = readdir(folder));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid > 0 && !process_stat_has_ended(tid))
            shown = tid;
    }
    if (folder)
        closedir(folder);
    return shown;
}
