// SPDX-License-Identifier: Apache-2.0
// Finds the declarations of variables in the debug information of their file.
#ifndef PROFILER_SYMBOLS_DEBUG_INFO_VARIABLE_DECLARATIONS_H
#define PROFILER_SYMBOLS_DEBUG_INFO_VARIABLE_DECLARATIONS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct variable_declaration {
    uint64_t address;              // of the variable, as in the file
    const char *file;              // output, owned by elfutils; NULL: not known
    int line;
};

// Sets the declarations of that many variables, which are sorted by address. Gives up after a time limit: debug
// information has no index of variables.
void variable_declarations_find(Dwarf *dwarf, struct variable_declaration *wanted, size_t count);

#endif
