// SPDX-License-Identifier: Apache-2.0
// numaprof: finds the command by its name and exits with its status. No name: the arguments are a program to run.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"
#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/commands/commands.h"

// A report that did not reach its reader (a full disk, a closed pipe) is a failure, whatever the command says.
static int main_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    diag_error("make room or choose another place", "cannot write to standard output: %s", strerror(errno));
    return DIAG_EXIT_FAILED;
}

static const struct command *main_command(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return commands_find("help");
    return commands_find(word);
}

int main(int argc, char **argv)
{
    clock_read_namespace();
    const struct command *command = argc > 1 ? main_command(argv[1]) : NULL;
    if (command)
        exit(main_finish(command->run(argc - 1, argv + 1)));
    exit(main_finish(cmd_run(argc, argv)));
}
