// SPDX-License-Identifier: Apache-2.0
// Which functions an address is in: the one whose code it is, and what was inlined there. (dwarf_getscopes follows an
// inlined function to where it is defined, not to where it was inlined; dwarf_getscopes_die searches a whole unit each time.)
#ifndef PROFILER_SYMBOLS_INLINED_CALLS_H
#define PROFILER_SYMBOLS_INLINED_CALLS_H

#include <elfutils/libdw.h>
#include <stddef.h>

enum { INLINED_CALLS_MAX = 32 };        // inlined into each other; deeper ones are left out, innermost first

struct inlined_calls_function {
    Dwarf_Addr low, high;
    Dwarf_Off die;
};

// What is known of one unit: ask for its addresses one after the other.
struct inlined_calls {                  // all zero: nothing
    Dwarf *dwarf;
    Dwarf_Off unit;
    struct inlined_calls_function *functions; // by low
    size_t count, size;
};

// The innermost first; the last is no inlined one. Returns how many, 0: the unit tells nothing of that address.
int inlined_calls_find(struct inlined_calls *scopes, Dwarf_Die *unit, Dwarf_Addr address,
                       Dwarf_Die found[INLINED_CALLS_MAX]);
void inlined_calls_free(struct inlined_calls *scopes);

#endif
