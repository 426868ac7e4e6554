// SPDX-License-Identifier: Apache-2.0
// numaprof: finds the command by its name and exits with its status. No name: the arguments are a program to run.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/diag.h"
#include "profiler/commands/command.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", cmd_run},         {"record", cmd_record},   {"doctor", cmd_doctor},     {"topology", cmd_topology},
    {"verify", cmd_verify},
    {"report", cmd_reports},  {"diff", cmd_reports},    {"check", cmd_check},
    {"export", cmd_reports},  {"events", cmd_events},     {"lab", cmd_lab},
    {"sweep", cmd_sweep},   {"policies", cmd_policies},
};

// A report that did not reach its reader (a full disk, a closed pipe) is a failure, whatever the command says.
static int main_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    diag_error("make room or choose another place", "cannot write to standard output: %s", strerror(errno));
    return DIAG_EXIT_FAILED;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            exit(main_finish(commands[i].run(argc - 1, argv + 1)));
    exit(main_finish(cmd_run(argc, argv)));
}
