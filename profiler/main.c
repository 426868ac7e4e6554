// SPDX-License-Identifier: Apache-2.0
// numaprof: finds the command by its name and exits with its status. No name: the arguments are a program to run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diag.h"
#include "profiler/command.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"report", cmd_reports}, {"diff", cmd_reports},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            exit(commands[i].run(argc - 1, argv + 1));
    diag_error("see numaprof --help", "no program given");
    exit(DIAG_EXIT_FAILED);
}
