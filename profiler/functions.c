// SPDX-License-Identifier: Apache-2.0
#include "profiler/functions.h"

#include <gelf.h>
#include <stdlib.h>

#include "core/search.h"

static bool functions_has_symtab(Dwfl_Module *module)
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
static bool functions_is_one(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

// Of several names for one address the last is taken: one with a size, then one that others may call.
static int functions_compare(const void *a, const void *b)
{
    const struct functions_item *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    if ((left->bytes > 0) != (right->bytes > 0))
        return left->bytes > 0 ? 1 : -1;
    return (int)left->is_global - (int)right->is_global;
}

// Sorting some thousands takes as long as about that many looks at all of them.
enum { FUNCTIONS_QUESTIONS_TO_SORT = 128 };

void functions_read(struct functions *functions, Dwfl_Module *module, size_t questions)
{
    int symbols = dwfl_module_getsymtab(module);
    *functions = (struct functions){.has_all = functions_has_symtab(module)};
    functions->items = symbols > 0 ? calloc((size_t)symbols, sizeof *functions->items) : NULL;
    for (int i = 1; functions->items && i < symbols; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name && *name && functions_is_one(&symbol))
            functions->items[functions->count++] =
                (struct functions_item){.start = address,
                                        .bytes = symbol.st_size,
                                        .name = name,
                                        .is_global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL};
    }
    functions->is_sorted = functions->items && questions > FUNCTIONS_QUESTIONS_TO_SORT;
    if (functions->is_sorted)
        qsort(functions->items, functions->count, sizeof *functions->items, functions_compare);
}

// The last by functions_compare that begins at the address or before it.
static const struct functions_item *functions_begun(const struct functions *functions, uint64_t address)
{
    if (functions->is_sorted) {
        size_t begun = search_at_most(functions->items, functions->count, sizeof *functions->items,
                                      offsetof(struct functions_item, start), address);
        return begun > 0 ? &functions->items[begun - 1] : NULL;
    }
    const struct functions_item *last = NULL;
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i].start <= address && (!last || functions_compare(last, &functions->items[i]) <= 0))
            last = &functions->items[i];
    return last;
}

const struct functions_item *functions_find(const struct functions *functions, uint64_t address)
{
    const struct functions_item *item = functions_begun(functions, address);
    if (!item)
        return NULL;
    // What does not say how long it is ends where the next begins, if all are there.
    bool holds = item->bytes > 0 ? address - item->start < item->bytes : functions->has_all;
    return holds ? item : NULL;
}

void functions_free(struct functions *functions)
{
    free(functions->items);
    *functions = (struct functions){0};
}
