// SPDX-License-Identifier: Apache-2.0
#include "core/system/process_stat.h"

#include <errno.h>
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
