// SPDX-License-Identifier: Apache-2.0
// The program to run: found, looked at, refused with a reason where it cannot be measured.
#ifndef PROFILER_LAUNCH_TARGET_H
#define PROFILER_LAUNCH_TARGET_H

#include <limits.h>
#include <stdbool.h>

#include "core/process/elf_kind.h"

struct target {
    char path[PATH_MAX];      // what exec gets
    char program[PATH_MAX];   // what runs in the end: a script's interpreter, else the same as path
    enum elf_kind kind;       // of program
};

// Looks name up as execvp does. Prints the reason and returns the exit status of the design (126, 127), or 0.
// remedy: what to advise if there is no such program.
int target_find(struct target *target, const char *name, const char *remedy);

#endif
