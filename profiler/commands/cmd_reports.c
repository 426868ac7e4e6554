// SPDX-License-Identifier: Apache-2.0
// report, diff, export and their like: hands over to the Python program.
#include <string.h>

#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/install/reports_program.h"

int cmd_reports(int argc, char **argv)
{
    (void)argc;
    // argv[-1] is the slot of "numaprof" itself: the Python program gets the command as its first argument.
    int status = reports_program_exec(argv - 1);
    diag_error("read the file on a machine with numaprof's Python part, or run make reports",
               "cannot start numaprof-reports: %s", strerror(-status));
    return DIAG_EXIT_FAILED;
}
