// SPDX-License-Identifier: Apache-2.0
// The table of all commands: main.c runs them, help lists them, a mistyped word is compared with them.
#ifndef PROFILER_COMMANDS_COMMANDS_H
#define PROFILER_COMMANDS_COMMANDS_H

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *group;   // its heading
    const char *summary; // one line, for the list
};

// NULL if no command has this name.
const struct command *commands_find(const char *name);

// The command that a mistyped word means: at most two letters differ, and fewer than half of them. NULL if none.
const char *commands_nearest(const char *word);

// Prints how to use numaprof, and a line for each command, to stdout.
void commands_print(void);

#endif
