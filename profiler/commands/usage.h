// SPDX-License-Identifier: Apache-2.0
// What every command says about its own command line.
#ifndef PROFILER_COMMANDS_USAGE_H
#define PROFILER_COMMANDS_USAGE_H

#include <stdbool.h>

// After getopt_long (opterr = 0, optstring begins with ':') returned found = '?' or ':', and for arguments where none
// are taken: one line with the remedy "see numaprof COMMAND --help". argv[0] is the command's name. Returns the exit
// status.
int usage_bad_option(char **argv, int found);
int usage_bad_argument(char **argv, const char *argument);

// What --sysroot names; an empty word is a name that no folder has, not the root of this machine.
const char *usage_root(const char *word);

// Whether --sysroot names a folder ("" is none given); if not, says so.
bool usage_is_root(const char *root);

#endif
