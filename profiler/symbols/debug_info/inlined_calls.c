// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/debug_info/inlined_calls.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/grow.h"
#include "core/util/search.h"

enum {
    INLINED_CALLS_NESTED = 8
}; // namespaces, functions and blocks in each other that are searched: a corrupt tree may have no end

// --- the functions of a unit

static int inlined_calls_add(struct inlined_calls *scopes, Dwarf_Addr low, Dwarf_Addr high, Dwarf_Off die)
{
    struct inlined_calls_function *functions =
        grow_array(scopes->functions, &scopes->size, scopes->count + 1, sizeof *functions);
    if (!functions)
        return -ENOMEM;
    scopes->functions = functions;
    scopes->functions[scopes->count++] = (struct inlined_calls_function){.low = low, .high = high, .die = die};
    return 0;
}

static void inlined_calls_add_ranges(struct inlined_calls *scopes, Dwarf_Die *function)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &low, &high)) > 0;)
        if (inlined_calls_add(scopes, low, high, dwarf_dieoffset(function)) < 0)
            return;
}

// C++ defines functions in namespaces, Fortran in modules and in each other, OpenMP's regions are in blocks of others:
// these are searched only for addresses that no other function has, for there are many blocks.
static void inlined_calls_collect(struct inlined_calls *scopes, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth == INLINED_CALLS_NESTED || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            inlined_calls_add_ranges(scopes, &die);
        bool is_function = tag == DW_TAG_subprogram && dwarf_haschildren(&die);
        if (tag == DW_TAG_namespace || tag == DW_TAG_module || is_function ||
            (tag == DW_TAG_lexical_block && scopes->in_blocks))
            inlined_calls_collect(scopes, &die,
                                  is_function && !scopes->in_blocks ? INLINED_CALLS_NESTED - 1 : depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int inlined_calls_by_low(const void *a, const void *b)
{
    const struct inlined_calls_function *left = a, *right = b;
    return left->low < right->low ? -1 : left->low > right->low;
}

static void inlined_calls_read(struct inlined_calls *scopes, Dwarf_Die *unit, bool in_blocks)
{
    Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
    if (scopes->dwarf == dwarf && scopes->unit == dwarf_dieoffset(unit) && scopes->in_blocks >= in_blocks)
        return;
    scopes->in_blocks = in_blocks;
    scopes->dwarf = dwarf;
    scopes->unit = dwarf_dieoffset(unit);
    scopes->count = 0;
    inlined_calls_collect(scopes, unit, 0);
    if (scopes->count > 0)
        qsort(scopes->functions, scopes->count, sizeof *scopes->functions, inlined_calls_by_low);
}

static const struct inlined_calls_function *inlined_calls_function(const struct inlined_calls *scopes,
                                                                   Dwarf_Addr address)
{
    const size_t begun = search_at_most(scopes->functions, scopes->count, sizeof *scopes->functions,
                                        offsetof(struct inlined_calls_function, low), address);
    const struct inlined_calls_function *function = begun > 0 ? &scopes->functions[begun - 1] : NULL;
    return function && address < function->high ? function : NULL;
}

// --- what was inlined

// The child of die that holds the address: a block, or an inlined function.
static bool inlined_calls_descend(Dwarf_Die *die, Dwarf_Addr address)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        bool has_code = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                        tag == DW_TAG_catch_block;
        if (has_code && dwarf_haspc(&child, address) == 1) {
            *die = child;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static void inlined_calls_push(Dwarf_Die found[INLINED_CALLS_MAX], int *count, const Dwarf_Die *die)
{
    if (*count < INLINED_CALLS_MAX)
        ++*count;
    memmove(found + 1, found, (size_t)(*count - 1) * sizeof *found);
    found[0] = *die;
}

int inlined_calls_find(struct inlined_calls *scopes, Dwarf_Die *unit, Dwarf_Addr address,
                       Dwarf_Die found[INLINED_CALLS_MAX])
{
    enum { DEEPEST = 256 };      // blocks in each other
    int count = 0;
    Dwarf_Die die;
    inlined_calls_read(scopes, unit, false);
    const struct inlined_calls_function *function = inlined_calls_function(scopes, address);
    if (!function) {
        inlined_calls_read(scopes, unit, true);
        function = inlined_calls_function(scopes, address);
    }
    if (!function || !dwarf_offdie(scopes->dwarf, function->die, &die))
        return 0;
    inlined_calls_push(found, &count, &die);
    for (int depth = 0; depth < DEEPEST && count < INLINED_CALLS_MAX && inlined_calls_descend(&die, address); depth++)
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
            inlined_calls_push(found, &count, &die);
    return count;
}

void inlined_calls_free(struct inlined_calls *scopes)
{
    free(scopes->functions);
    *scopes = (struct inlined_calls){0};
}
