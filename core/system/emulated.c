// SPDX-License-Identifier: Apache-2.0
#include "core/system/emulated.h"

#include <stdio.h>
#include <string.h>

#include "core/system/sysfile.h"

// The emulated machine writes its name on the kernel's command line (lab/).
bool emulated_name(char *name, size_t size, const char *root)
{
    char line[4096];
    if (sysfile_text(root, line, sizeof line, "/proc/cmdline") < 0)
        return false;
    const char *at = strstr(line, "numaprof.machine=");
    if (!at)
        return false;
    at += strlen("numaprof.machine=");
    snprintf(name, size, "%.*s", (int)strcspn(at, " "), at);
    return true;
}
