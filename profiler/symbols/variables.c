// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/variables.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/grow.h"
#include "core/util/search.h"
#include "core/util/table.h"
#include "profiler/symbols/demangle.h"
#include "profiler/symbols/files/debug_files.h"

enum {
    VARIABLES_LEAST_BYTES = 256,   // smaller ones share their page with others: placement is not theirs
    VARIABLES_MOST = 1 << 20,      // of one file
    VARIABLES_SEGMENTS = 16,
};

struct variables_item {
    uint64_t start, bytes;         // addresses of the file's own, or offsets in its thread-local block
    char *name;
    bool is_local;                 // one for each thread
};

struct variables_segment {
    uint64_t offset, address, bytes;
};

// What is known of one file.
struct variables_file {
    struct variables_item *items;  // by start, those of threads behind the others
    size_t count, size, shared_count;
    struct variables_segment segments[VARIABLES_SEGMENTS];
    size_t segment_count;
};

struct variables {
    struct program_files *descriptors;
    struct table files;            // interned path -> struct variables_file *
};

// --- reading a file

static void variables_read_segments(struct variables_file *file, Dwfl_Module *module)
{
    GElf_Addr bias;
    size_t count = 0;
    Elf *elf = dwfl_module_getelf(module, &bias);
    if (!elf || elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && file->segment_count < VARIABLES_SEGMENTS; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && (segment.p_flags & PF_W))
            file->segments[file->segment_count++] = (struct variables_segment){
                .offset = segment.p_offset, .address = segment.p_vaddr, .bytes = segment.p_memsz};
    }
}

static bool variables_is_wanted(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_OBJECT || type == STT_TLS) && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_size >= VARIABLES_LEAST_BYTES;
}

// The table that elfutils numbers the module's symbols by; NULL: it joins several. Few symbols are wanted, and elfutils
// takes ten times as long as a look here.
static Elf_Data *variables_table(Dwfl_Module *module, size_t symbols)
{
    GElf_Sym symbol;
    GElf_Addr address, bias;
    GElf_Shdr header;
    Elf *elf = NULL;
    dwfl_module_getsym_info(module, 1, &symbol, &address, NULL, &elf, &bias);
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
            header.sh_entsize > 0 && header.sh_size / header.sh_entsize == symbols)
            return elf_getdata(section, NULL);
    return NULL;
}

static void variables_read_symbols(struct variables_file *file, Dwfl_Module *module)
{
    int symbols = dwfl_module_getsymtab(module);
    if (symbols <= 0)
        return;
    Elf_Data *table = variables_table(module, (size_t)symbols);
    for (int i = 1; i < symbols && file->count < VARIABLES_MOST; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        if (table && gelf_getsym(table, i, &symbol) && !variables_is_wanted(&symbol))
            continue;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (!name || !variables_is_wanted(&symbol))
            continue;
        struct variables_item *items = grow_array(file->items, &file->size, file->count + 1, sizeof *items);
        if (!items)
            return;
        file->items = items;
        char *readable = demangle(name);
        if (!readable && !(readable = strdup(name)))
            continue; // without memory: as if it were not in the file
        bool is_local = GELF_ST_TYPE(symbol.st_info) == STT_TLS;
        file->items[file->count++] = (struct variables_item){.start = symbol.st_value,
                                                             .bytes = symbol.st_size,
                                                             .name = readable,
                                                             .is_local = is_local};
        file->shared_count += !is_local;
    }
}

static int variables_by_start(const void *a, const void *b)
{
    const struct variables_item *left = a, *right = b;
    if (left->is_local != right->is_local)
        return left->is_local ? 1 : -1;
    return left->start < right->start ? -1 : left->start > right->start;
}

static struct variables_file *variables_read(struct program_files *descriptors, const char *path)
{
    struct variables_file *file = calloc(1, sizeof *file);
    Dwfl *dwfl = NULL;
    Dwfl_Module *module = file ? debug_files_open(descriptors, path, true, &dwfl) : NULL;
    if (module) {
        variables_read_segments(file, module);
        variables_read_symbols(file, module);
        if (file->items)
            qsort(file->items, file->count, sizeof *file->items, variables_by_start);
    }
    dwfl_end(dwfl);
    return file;
}

static const struct variables_file *variables_file(struct variables *variables, const char *path)
{
    uint64_t value;
    if (table_get(&variables->files, (uintptr_t)path, &value))
        return (const struct variables_file *)(uintptr_t)value;
    struct variables_file *file = variables_read(variables->descriptors, path);
    table_put(&variables->files, (uintptr_t)path, (uintptr_t)file);
    return file;
}

// --- finding

// An offset in the file (beyond its end for .bss) as an address of the file's own.
static bool variables_address(const struct variables_file *file, uint64_t offset, uint64_t *address)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct variables_segment *segment = &file->segments[i];
        if (offset >= segment->offset && offset < segment->offset + segment->bytes) {
            *address = offset - segment->offset + segment->address;
            return true;
        }
    }
    return false;
}

// The last one that begins at or before the address.
static const struct variables_item *variables_search(const struct variables_file *file, uint64_t address)
{
    const size_t begun = search_at_most(file->items, file->shared_count, sizeof *file->items,
                                        offsetof(struct variables_item, start), address);
    const struct variables_item *item = begun > 0 ? &file->items[begun - 1] : NULL;
    return item && address - item->start < item->bytes ? item : NULL;
}

bool variables_find(void *context, const struct mapping *mapping, uint64_t address, struct objects_variable *variable)
{
    uint64_t own;
    if (*mapping->path != '/')
        return false;
    const struct variables_file *file = variables_file(context, mapping->path);
    if (!file || !variables_address(file, address - mapping->start + mapping->file_offset, &own))
        return false;
    const struct variables_item *item = variables_search(file, own);
    if (!item)
        return false;
    variable->start = address - (own - item->start);
    variable->bytes = item->bytes;
    variable->own = item->start;
    snprintf(variable->name, sizeof variable->name, "%s", item->name);
    return true;
}

void variables_each_local(struct variables *variables, const char *path, variables_take_local *take, void *owner)
{
    const struct variables_file *file = *path == '/' ? variables_file(variables, path) : NULL;
    for (size_t i = file ? file->shared_count : 0; file && i < file->count; i++) {
        struct objects_variable variable = {.start = file->items[i].start, .bytes = file->items[i].bytes};
        snprintf(variable.name, sizeof variable.name, "%s", file->items[i].name);
        take(owner, &variable);
    }
}

// --- life

struct variables *variables_open(struct program_files *files)
{
    struct variables *variables = calloc(1, sizeof *variables);
    if (variables)
        variables->descriptors = files;
    return variables;
}

static void variables_free_file(struct variables_file *file)
{
    for (size_t i = 0; file && i < file->count; i++)
        free(file->items[i].name);
    if (file)
        free(file->items);
    free(file);
}

void variables_close(struct variables *variables)
{
    uint64_t path, value;
    if (!variables)
        return;
    for (size_t at = 0; table_next(&variables->files, &at, &path, &value);)
        variables_free_file((struct variables_file *)(uintptr_t)value);
    table_free(&variables->files);
    free(variables);
}
