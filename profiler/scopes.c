// SPDX-License-Identifier: Apache-2.0
#include "profiler/scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"

enum { SCOPES_NESTED = 8 };      // namespaces and functions in each other that are searched: a corrupt tree may have no end

// --- the functions of a unit

static int scopes_add(struct scopes *scopes, Dwarf_Addr low, Dwarf_Addr high, Dwarf_Off die)
{
    if (scopes->count == scopes->size) {
        size_t size = scopes->size ? scopes->size * 2 : 256;
        struct scopes_function *functions = realloc(scopes->functions, size * sizeof *functions);
        if (!functions)
            return -ENOMEM;
        scopes->functions = functions;
        scopes->size = size;
    }
    scopes->functions[scopes->count++] = (struct scopes_function){.low = low, .high = high, .die = die};
    return 0;
}

static void scopes_add_ranges(struct scopes *scopes, Dwarf_Die *function)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &low, &high)) > 0;)
        if (scopes_add(scopes, low, high, dwarf_dieoffset(function)) < 0)
            return;
}

// C++ defines functions in namespaces, Fortran in modules and in each other.
static void scopes_collect(struct scopes *scopes, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth == SCOPES_NESTED || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            scopes_add_ranges(scopes, &die);
        if (tag == DW_TAG_namespace || tag == DW_TAG_module || (tag == DW_TAG_subprogram && dwarf_haschildren(&die)))
            scopes_collect(scopes, &die, tag == DW_TAG_subprogram ? SCOPES_NESTED - 1 : depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int scopes_by_low(const void *a, const void *b)
{
    const struct scopes_function *left = a, *right = b;
    return left->low < right->low ? -1 : left->low > right->low;
}

static void scopes_read(struct scopes *scopes, Dwarf_Die *unit)
{
    Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
    if (scopes->dwarf == dwarf && scopes->unit == dwarf_dieoffset(unit))
        return;
    scopes->dwarf = dwarf;
    scopes->unit = dwarf_dieoffset(unit);
    scopes->count = 0;
    scopes_collect(scopes, unit, 0);
    if (scopes->count > 0)
        qsort(scopes->functions, scopes->count, sizeof *scopes->functions, scopes_by_low);
}

static const struct scopes_function *scopes_function(const struct scopes *scopes, Dwarf_Addr address)
{
    const size_t begun = search_at_most(scopes->functions, scopes->count, sizeof *scopes->functions,
                                        offsetof(struct scopes_function, low), address);
    const struct scopes_function *function = begun > 0 ? &scopes->functions[begun - 1] : NULL;
    return function && address < function->high ? function : NULL;
}

// --- what was inlined

// The child of die that holds the address: a block, or an inlined function.
static bool scopes_descend(Dwarf_Die *die, Dwarf_Addr address)
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

static void scopes_push(Dwarf_Die found[SCOPES_MAX], int *count, const Dwarf_Die *die)
{
    if (*count < SCOPES_MAX)
        ++*count;
    memmove(found + 1, found, (size_t)(*count - 1) * sizeof *found);
    found[0] = *die;
}

int scopes_find(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die found[SCOPES_MAX])
{
    enum { DEEPEST = 256 };      // blocks in each other
    int count = 0;
    Dwarf_Die die;
    scopes_read(scopes, unit);
    const struct scopes_function *function = scopes_function(scopes, address);
    if (!function || !dwarf_offdie(scopes->dwarf, function->die, &die))
        return 0;
    scopes_push(found, &count, &die);
    for (int depth = 0; depth < DEEPEST && count < SCOPES_MAX && scopes_descend(&die, address); depth++)
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
            scopes_push(found, &count, &die);
    return count;
}

void scopes_free(struct scopes *scopes)
{
    free(scopes->functions);
    *scopes = (struct scopes){0};
}
