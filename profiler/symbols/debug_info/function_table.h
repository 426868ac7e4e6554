// SPDX-License-Identifier: Apache-2.0
// The functions of a file by address, from its symbol tables. (dwfl_module_addrinfo reads all symbols each time.)
#ifndef PROFILER_SYMBOLS_DEBUG_INFO_FUNCTION_TABLE_H
#define PROFILER_SYMBOLS_DEBUG_INFO_FUNCTION_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table_item {
    uint64_t start, bytes;         // bytes 0: its length is not known
    const char *name;              // owned by elfutils, valid while the module is open
    bool is_global;
};

struct function_table {                 // all zero: none
    struct function_table_item *items;
    size_t count;
    bool is_sorted;                // by start
    bool has_all;                  // not only exported functions
};

// Reads the functions of a module. Addresses are those of dwfl. questions: expected number of look-ups.
void function_table_read(struct function_table *functions, Dwfl_Module *module, size_t questions);

// The function that holds the address, NULL: not known.
const struct function_table_item *function_table_find(const struct function_table *functions, uint64_t address);

void function_table_free(struct function_table *functions);

#endif
