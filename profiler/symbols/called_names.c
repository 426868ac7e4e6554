// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/called_names.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/grow.h"
#include "core/util/intern.h"
#include "profiler/symbols/debug_info/called_symbols.h"

// A place without a name, and one that calls it.
struct called_names_call {
    int64_t place;
    const struct call_stacks_place *callee, *caller;
    uint64_t weight;
    const char *name;              // interned; NULL: not known
    GElf_Sym symbol;               // of that name, as the callee's file exports it
};

struct called_names {
    const struct called_names_request *request;
    struct called_names_call *calls;
    size_t count, size;
    struct table seen;             // hash of place and caller -> index into calls
    struct intern *texts;
};

// --- the calls

static void called_names_add(struct called_names *names, const struct called_names_call *call, int64_t caller)
{
    uint64_t pair = table_mix(table_mix(0, (uint64_t)call->place), (uint64_t)caller), at;
    if (names->calls && table_get(&names->seen, pair, &at)) {
        names->calls[at].weight += call->weight;
        return;
    }
    struct called_names_call *calls = grow_array(names->calls, &names->size, names->count + 1, sizeof *calls);
    if (!calls)
        return;
    names->calls = calls;
    if (table_put(&names->seen, pair, names->count) == 0)
        calls[names->count++] = *call;
}

static void called_names_collect(struct called_names *names)
{
    const struct call_stacks *stacks = names->request->stacks;
    for (int64_t i = 0; i < stacks->stack_count; i++) {
        const struct call_stacks_link *link = &stacks->links[i];
        if (!link->caller || !names->request->wanted[link->place - 1])
            continue;
        int64_t caller = stacks->links[link->caller - 1].place;
        const struct called_names_call call = {.place = link->place,
                                               .callee = &stacks->places[link->place - 1],
                                               .caller = &stacks->places[caller - 1],
                                               .weight = link->weight};
        if (*call.caller->path == '/')
            called_names_add(names, &call, caller);
    }
}

// --- files

static Elf *called_names_open(struct program_files *files, const char *path, int *fd)
{
    *fd = program_files_descriptor(files, path);
    return *fd >= 0 ? elf_begin(*fd, ELF_C_READ_MMAP, NULL) : NULL;
}

static void called_names_close(Elf *elf, int fd)
{
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}

// What a file's calls call; they follow each other.
static void called_names_read_callers(struct called_names *names, struct called_names_call *calls, size_t count)
{
    int fd;
    struct called_symbols symbols = {0};
    Elf *elf = called_names_open(names->request->files, calls->caller->path, &fd);
    if (elf && called_symbols_read(&symbols, elf) == 0)
        for (size_t i = 0; i < count; i++) {
            const char *name = called_symbols_find(&symbols, calls[i].caller->address + 1); // of a caller: a byte less
            calls[i].name = name ? intern_text(&names->texts, name) : NULL;
        }
    called_symbols_free(&symbols);
    called_names_close(elf, fd);
}

// Calls of names that the file exports get its symbol, others lose their name.
static void called_names_check(struct called_names_call *calls, size_t count, Elf *elf, Elf_Data *symtab, size_t texts)
{
    GElf_Sym symbol;
    for (size_t k = 0; k < count; k++)
        calls[k].symbol.st_shndx = SHN_UNDEF;
    for (int i = 1; symtab && gelf_getsym(symtab, i, &symbol); i++) {
        const char *name = symbol.st_shndx != SHN_UNDEF ? elf_strptr(elf, texts, symbol.st_name) : NULL;
        for (size_t k = 0; name && k < count; k++)
            if (calls[k].name && strcmp(calls[k].name, name) == 0)
                calls[k].symbol = symbol;
    }
    for (size_t k = 0; k < count; k++)
        if (calls[k].symbol.st_shndx == SHN_UNDEF)
            calls[k].name = NULL;
}

static void called_names_check_callees(struct called_names *names, struct called_names_call *calls, size_t count)
{
    int fd;
    GElf_Shdr header = {0};
    Elf_Scn *section = NULL;
    Elf *elf = called_names_open(names->request->files, calls->callee->path, &fd);
    while (elf && header.sh_type != SHT_DYNSYM && (section = elf_nextscn(elf, section)))
        gelf_getshdr(section, &header);
    called_names_check(calls, count, elf, section ? elf_getdata(section, NULL) : NULL, header.sh_link);
    called_names_close(elf, fd);
}

// --- orders

static int called_names_by_caller(const void *a, const void *b)
{
    const struct called_names_call *left = a, *right = b;
    uintptr_t first = (uintptr_t)left->caller->path, second = (uintptr_t)right->caller->path; // interned
    return first < second ? -1 : first > second;
}

// Of one place the heaviest comes first.
static int called_names_by_callee(const void *a, const void *b)
{
    const struct called_names_call *left = a, *right = b;
    uintptr_t first = (uintptr_t)left->callee->path, second = (uintptr_t)right->callee->path;
    if (first != second)
        return first < second ? -1 : 1;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    if (left->weight != right->weight)
        return left->weight > right->weight ? -1 : 1;
    return left->caller->address < right->caller->address ? -1 : left->caller->address > right->caller->address;
}

static bool called_names_same_caller(const struct called_names_call *one, const struct called_names_call *other)
{
    return one->caller->path == other->caller->path;
}

static bool called_names_same_callee(const struct called_names_call *one, const struct called_names_call *other)
{
    return one->callee->path == other->callee->path;
}

static bool called_names_same_place(const struct called_names_call *one, const struct called_names_call *other)
{
    return one->place == other->place;
}

// --- names

// Variants may serve several functions: memmove's also memcpy.
static bool called_names_agree(const GElf_Sym *one, const GElf_Sym *other)
{
    return one->st_value == other->st_value ||
           (GELF_ST_TYPE(one->st_info) == STT_GNU_IFUNC && GELF_ST_TYPE(other->st_info) == STT_GNU_IFUNC);
}

// The heaviest call with a name has the word, if the others agree. The calls are those of one place.
static void called_names_tell(struct called_names *names, struct called_names_call *calls, size_t count)
{
    const struct called_names_call *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!calls[i].name)
            continue;
        if (first && !called_names_agree(&first->symbol, &calls[i].symbol))
            return;
        first = first ? first : &calls[i];
    }
    if (first)
        names->request->found(names->request->context, first->place, first->name);
}

// Calls that are alike follow each other once they are sorted: does something with each such group.
static void called_names_each(struct called_names *names, int (*order)(const void *, const void *),
                              bool (*same)(const struct called_names_call *, const struct called_names_call *),
                              void (*each)(struct called_names *, struct called_names_call *, size_t))
{
    if (names->count > 0)
        qsort(names->calls, names->count, sizeof *names->calls, order);
    for (size_t i = 0, end; i < names->count; i = end) {
        end = i + 1;
        while (end < names->count && same(&names->calls[i], &names->calls[end]))
            end++;
        each(names, &names->calls[i], end - i);
    }
}

void called_names_find(const struct called_names_request *request)
{
    struct called_names names = {.request = request};
    elf_version(EV_CURRENT);
    called_names_collect(&names);
    called_names_each(&names, called_names_by_caller, called_names_same_caller, called_names_read_callers);
    called_names_each(&names, called_names_by_callee, called_names_same_callee, called_names_check_callees);
    called_names_each(&names, called_names_by_callee, called_names_same_place, called_names_tell);
    free(names.calls);
    table_free(&names.seen);
    intern_free(names.texts);
}
