// SPDX-License-Identifier: Apache-2.0
// report, diff, check, export: hands over to the Python program numaprof-reports, found as git finds its commands.
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/diag.h"
#include "profiler/beside.h"
#include "profiler/command.h"

static const char program[] = "numaprof-reports";

int cmd_reports(int argc, char **argv)
{
    (void)argc;
    char path[PATH_MAX];
    // argv[-1] is the slot of "numaprof" itself: the Python program gets the command as its first argument.
    char **arguments = argv - 1;
    if (beside_find(path, sizeof path, program) == 0)
        execv(path, arguments);
    execvp(program, arguments);
    diag_error("read the file on a machine with numaprof's Python part, or run make reports",
               "cannot start %s: %s", program, strerror(errno));
    return DIAG_EXIT_FAILED;
}
