// SPDX-License-Identifier: Apache-2.0
// report, diff, check, export: hands over to the Python program numaprof-reports, found as git finds its commands.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/diag.h"
#include "profiler/command.h"

static const char program[] = "numaprof-reports";

// Places relative to this executable: the build folder, then an installed tree.
static const char *const places[] = {"", "../libexec/numaprof/"};

static int cmd_reports_exec_beside(char **argv)
{
    char self[PATH_MAX], path[PATH_MAX + sizeof program + 32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return -errno;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return -ENOENT;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s%s", self, places[i], program);
        execv(path, argv);
    }
    return -ENOENT;
}

int cmd_reports(int argc, char **argv)
{
    (void)argc;
    // argv[-1] is the slot of "numaprof" itself: the Python program gets the command as its first argument.
    char **arguments = argv - 1;
    cmd_reports_exec_beside(arguments);
    execvp(program, arguments);
    diag_error("read the file on a machine with numaprof's Python part, or run make reports",
               "cannot start %s: %s", program, strerror(errno));
    return DIAG_EXIT_FAILED;
}
