// SPDX-License-Identifier: Apache-2.0
// Which functions an address is in: the one whose code it is, and what was inlined there. (dwarf_getscopes follows an
// inlined function to where it is defined, not to where it was inlined; dwarf_getscopes_die searches a whole unit each time.)
#ifndef PROFILER_SCOPES_H
#define PROFILER_SCOPES_H

#include <elfutils/libdw.h>
#include <stddef.h>

enum { SCOPES_MAX = 32 };        // inlined into each other; deeper ones are left out, innermost first

struct scopes_function {
    Dwarf_Addr low, high;
    Dwarf_Off die;
};

// What is known of one unit: ask for its addresses one after the other.
struct scopes {                  // all zero: nothing
    Dwarf *dwarf;
    Dwarf_Off unit;
    struct scopes_function *functions; // by low
    size_t count, size;
};

// The innermost first; the last is no inlined one. Returns how many, 0: the unit tells nothing of that address.
int scopes_find(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die found[SCOPES_MAX]);
void scopes_free(struct scopes *scopes);

#endif
