// SPDX-License-Identifier: Apache-2.0
// help, and --help without a command: the list of commands, or what a command says of itself.
#include <stdio.h>

#include "core/text/diag.h"
#include "profiler/commands/command.h"
#include "profiler/commands/commands.h"

int cmd_help(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        commands_print();
        return 0;
    }
    const struct command *command = commands_find(argv[1]);
    if (!command) {
        char clean[64], remedy[64] = "numaprof help lists them";
        const char *meant = commands_nearest(argv[1]);
        if (meant)
            snprintf(remedy, sizeof remedy, "did you mean numaprof help %s?", meant);
        diag_error(remedy, "no such command: %s", diag_clean(clean, sizeof clean, argv[1]));
        return DIAG_EXIT_FAILED;
    }
    // reports_program_exec reads argv[-1]: the slot of "numaprof" itself.
    char *words[] = {argv[-1], argv[1], "--help", NULL};
    return command->run(2, words + 1);
}
