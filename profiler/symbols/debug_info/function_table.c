// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/debug_info/function_table.h"

#include <gelf.h>
#include <stdlib.h>

#include "core/util/search.h"

static bool function_table_has_symtab(Dwfl_Module *module)
{
    GElf_Addr bias;
    GElf_Shdr header;
    Elf *elf = dwfl_module_getelf(module, &bias);
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            return true;
    return false;
}

// Hand-written code often has no type.
static bool function_table_is_one(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

// Of several names for one address the last is taken: one with a size, then one that others may call.
static int function_table_compare(const void *a, const void *b)
{
    const struct function_table_item *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    if ((left->bytes > 0) != (right->bytes > 0))
        return left->bytes > 0 ? 1 : -1;
    return (int)left->is_global - (int)right->is_global;
}

// Sorting some thousands takes as long as about that many looks at all of them.
enum { FUNCTION_TABLE_QUESTIONS_TO_SORT = 128 };

void function_table_read(struct function_table *functions, Dwfl_Module *module, size_t questions)
{
    int symbols = dwfl_module_getsymtab(module);
    *functions = (struct function_table){.has_all = function_table_has_symtab(module)};
    functions->items = symbols > 0 ? calloc((size_t)symbols, sizeof *functions->items) : NULL;
    for (int i = 1; functions->items && i < symbols; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name && *name && function_table_is_one(&symbol))
            functions->items[functions->count++] =
                (struct function_table_item){.start = address,
                                             .bytes = symbol.st_size,
                                             .name = name,
                                             .is_global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL};
    }
    functions->is_sorted = functions->items && questions > FUNCTION_TABLE_QUESTIONS_TO_SORT;
    if (functions->is_sorted)
        qsort(functions->items, functions->count, sizeof *functions->items, function_table_compare);
}

// The last by function_table_compare that begins at the address or before it.
static const struct function_table_item *function_table_begun(const struct function_table *functions, uint64_t address)
{
    if (functions->is_sorted) {
        size_t begun = search_at_most(functions->items, functions->count, sizeof *functions->items,
                                      offsetof(struct function_table_item, start), address);
        return begun > 0 ? &functions->items[begun - 1] : NULL;
    }
    const struct function_table_item *last = NULL;
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i].start <= address && (!last || function_table_compare(last, &functions->items[i]) <= 0))
            last = &functions->items[i];
    return last;
}

const struct function_table_item *function_table_find(const struct function_table *functions, uint64_t address)
{
    const struct function_table_item *item = function_table_begun(functions, address);
    if (!item)
        return NULL;
    // What does not say how long it is ends where the next begins, if all are there.
    bool holds = item->bytes > 0 ? address - item->start < item->bytes : functions->has_all;
    return holds ? item : NULL;
}

void function_table_free(struct function_table *functions)
{
    free(functions->items);
    *functions = (struct function_table){0};
}
