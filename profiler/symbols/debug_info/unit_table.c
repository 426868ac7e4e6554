// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/debug_info/unit_table.h"

#include <stdlib.h>

#include "core/util/grow.h"
#include "core/util/search.h"

static void unit_table_add(struct unit_table *units, uint64_t start, uint64_t end, const Dwarf_Die *unit)
{
    struct unit_table_item *items = grow_array(units->items, &units->room, units->count + 1, sizeof *items);
    if (!items)
        return;
    units->items = items;
    units->items[units->count++] = (struct unit_table_item){.start = start, .end = end, .unit = *unit};
}

static int unit_table_compare(const void *a, const void *b)
{
    const struct unit_table_item *left = a, *right = b;
    return left->start < right->start ? -1 : left->start > right->start;
}

static void unit_table_read(struct unit_table *units, Dwfl_Module *module)
{
    units->is_read = true;
    if (!dwfl_module_getdwarf(module, &units->bias))
        return;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &units->bias));) {
        Dwarf_Addr base, start, end;
        for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0;)
            unit_table_add(units, start, end, unit);
    }
    if (units->count > 0)
        qsort(units->items, units->count, sizeof *units->items, unit_table_compare);
}

Dwarf_Die *unit_table_find(struct unit_table *units, Dwfl_Module *module, GElf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit)
        return unit;
    if (!units->is_read)
        unit_table_read(units, module);
    *bias = units->bias;
    size_t begun = search_at_most(units->items, units->count, sizeof *units->items,
                                  offsetof(struct unit_table_item, start), address - units->bias);
    bool holds = begun > 0 && address - units->bias < units->items[begun - 1].end;
    return holds ? &units->items[begun - 1].unit : NULL;
}

void unit_table_free(struct unit_table *units)
{
    free(units->items);
    *units = (struct unit_table){0};
}
