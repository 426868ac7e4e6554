// SPDX-License-Identifier: Apache-2.0
// lab: hands over to the runner of the emulated machine, numaprof-lab, found as git finds its commands.
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/install/installed_files.h"

static const char program[] = "numaprof-lab";

int cmd_lab(int argc, char **argv)
{
    (void)argc;
    char path[PATH_MAX];
    if (installed_files_find(path, sizeof path, program) == 0)
        execv(path, argv);
    execvp(program, argv);
    diag_error("it is in the source tree, as lab/run", "cannot start %s: %s", program, strerror(errno));
    return DIAG_EXIT_FAILED;
}
