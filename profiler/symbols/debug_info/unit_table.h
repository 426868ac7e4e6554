// SPDX-License-Identifier: Apache-2.0
// Which unit of debug information holds an address. Go and Clang write no .debug_aranges, and elfutils before 0.190
// finds no unit that is not there: all, or those of one compiler. Then the units are asked for their ranges, once for
// each file.
#ifndef PROFILER_SYMBOLS_DEBUG_INFO_UNIT_TABLE_H
#define PROFILER_SYMBOLS_DEBUG_INFO_UNIT_TABLE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unit_table_item {
    uint64_t start, end;           // addresses of the file
    Dwarf_Die unit;
};

struct unit_table {                // all zero: not read yet
    struct unit_table_item *items; // by start
    size_t count, room;
    Dwarf_Addr bias;
    bool is_read;
};

// The unit that holds an address of dwfl, and the bias of its own addresses. NULL: none. Valid until unit_table_free.
Dwarf_Die *unit_table_find(struct unit_table *units, Dwfl_Module *module, GElf_Addr address, Dwarf_Addr *bias);

void unit_table_free(struct unit_table *units);

#endif
