// SPDX-License-Identifier: Apache-2.0
// Where variables are declared, by the debug information of their file.
#ifndef PROFILER_SYMBOLS_VARIABLE_DECLARATIONS_H
#define PROFILER_SYMBOLS_VARIABLE_DECLARATIONS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct variable_declaration {
    uint64_t address;              // of the variable: the file's own
    const char *file;              // out: elfutils', NULL: not known
    int line;
};

// Fills in what is known of so many variables, which stand by address. Gives up what it does not find in time: debug
// information has no index of variables.
void variable_declarations_find(Dwarf *dwarf, struct variable_declaration *wanted, size_t count);

#endif
