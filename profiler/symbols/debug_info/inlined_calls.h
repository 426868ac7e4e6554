// SPDX-License-Identifier: Apache-2.0
// The functions at an address: the one that owns the code, and the ones inlined there. (dwarf_getscopes follows an
// inlined function to its definition, not to the place of inlining; dwarf_getscopes_die searches a whole unit.)
#ifndef PROFILER_SYMBOLS_DEBUG_INFO_INLINED_CALLS_H
#define PROFILER_SYMBOLS_DEBUG_INFO_INLINED_CALLS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

enum { INLINED_CALLS_MAX = 32 };        // depth of inlining; the innermost beyond are left out

struct inlined_calls_function {
    Dwarf_Addr low, high;
    Dwarf_Off die;
};

// A cache of one unit: look up the addresses of a unit one after the other.
struct inlined_calls {                  // all zero: nothing
    Dwarf *dwarf;
    Dwarf_Off unit;
    struct inlined_calls_function *functions; // by low
    size_t count, size;
    bool in_blocks;                     // those in blocks of others are among them
};

// The functions at the address, innermost first; the last one is not inlined. Returns their number; 0: not known.
int inlined_calls_find(struct inlined_calls *scopes, Dwarf_Die *unit, Dwarf_Addr address,
                       Dwarf_Die found[INLINED_CALLS_MAX]);
void inlined_calls_free(struct inlined_calls *scopes);

#endif
