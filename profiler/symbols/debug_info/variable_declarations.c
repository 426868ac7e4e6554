// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/debug_info/variable_declarations.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/system/clock.h"

enum {
    VARIABLE_DECLARATIONS_MOST_MS = 1000,
    VARIABLE_DECLARATIONS_NESTED = 12, // namespaces, functions and blocks in each other
};

struct variable_declarations_search {
    struct variable_declaration *wanted;
    size_t count, missing;
    uint64_t until;
};

static int variable_declarations_compare(const void *a, const void *b)
{
    const struct variable_declaration *left = a, *right = b;
    return left->address < right->address ? -1 : left->address > right->address;
}

// The address of a variable that has one: a location of one operation, which is the address.
static bool variable_declarations_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_getlocation(dwarf_attr(die, DW_AT_location, &attribute), &operations, &count) != 0 || count != 1 ||
        operations[0].atom != DW_OP_addr)
        return false;
    *address = operations[0].number;
    return true;
}

static void variable_declarations_take(struct variable_declarations_search *search, Dwarf_Die *die)
{
    struct variable_declaration key;
    if (!variable_declarations_address(die, &key.address))
        return;
    struct variable_declaration *found =
        bsearch(&key, search->wanted, search->count, sizeof *search->wanted, variable_declarations_compare);
    if (!found || found->file || dwarf_decl_line(die, &found->line) != 0)
        return;
    found->file = dwarf_decl_file(die);
    search->missing -= found->file != NULL;
}

static bool variable_declarations_may_hold(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_common_block;
}

static void variable_declarations_walk(struct variable_declarations_search *search, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth == VARIABLE_DECLARATIONS_NESTED || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_variable || tag == DW_TAG_common_block)
            variable_declarations_take(search, &die);
        if (variable_declarations_may_hold(tag) && dwarf_haschildren(&die))
            variable_declarations_walk(search, &die, depth + 1);
    } while (search->missing > 0 && dwarf_siblingof(&die, &die) == 0);
}

void variable_declarations_find(Dwarf *dwarf, struct variable_declaration *wanted, size_t count)
{
    struct variable_declarations_search search = {.wanted = wanted,
                                                  .count = count,
                                                  .missing = count,
                                                  .until = clock_now() + VARIABLE_DECLARATIONS_MOST_MS * CLOCK_MS};
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    while (dwarf && search.missing > 0 && clock_now() < search.until &&
           dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        variable_declarations_walk(&search, &unit, 0);
}
