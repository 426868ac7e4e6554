// SPDX-License-Identifier: Apache-2.0
// The functions of a file by address, from its symbol tables. (dwfl_module_addrinfo looks at every symbol for each address.)
#ifndef PROFILER_FUNCTIONS_H
#define PROFILER_FUNCTIONS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct functions_item {
    uint64_t start, bytes;         // bytes 0: it does not say how long it is
    const char *name;              // elfutils', as long as the module is there
    bool is_global;
};

struct functions {                 // all zero: none
    struct functions_item *items;
    size_t count;
    bool is_sorted;                // by start
    bool has_all;                  // not only those that other files may call
};

// Reads those of a module. Addresses are dwfl's. questions: how often they will be looked at, about.
void functions_read(struct functions *functions, Dwfl_Module *module, size_t questions);

// The function that holds the address, NULL: not known.
const struct functions_item *functions_find(const struct functions *functions, uint64_t address);

void functions_free(struct functions *functions);

#endif
