// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/symbols/called_names.h"
#include "profiler/symbols/debug_info/function_table.h"
#include "profiler/symbols/debug_info/inlined_calls.h"
#include "profiler/symbols/debug_info/unit_table.h"
#include "profiler/symbols/demangle.h"
#include "profiler/symbols/files/debug_files.h"
#include "profiler/symbols/jit_symbols.h"
#include "profiler/symbols/source_lines.h"

struct symbols {
    const struct symbols_request *request;
    int64_t next_place;            // ids for inlined callers, behind those of the recorder
    int64_t resolved;
    bool *nameless;                // by id - 1 of a place: its file was read, and does not name it
    uint64_t weight;               // of the place that is resolved
    struct source_lines lines;
    struct open_as owner;          // of the file that is looked into
    struct inlined_calls scopes;
    Dwfl_Module *module;
    struct function_table functions;    // of the module
    struct unit_table units;            // likewise
    char build_id[64 + 1];
};

struct symbols_source {
    const char *file;
    const char *folder;            // where the compiler ran; relative names start there
    int line;
};

// A file offset as an address of the module, by the segment that loads it. False if none does.
static bool symbols_address(Dwfl_Module *module, uint64_t file_offset, GElf_Addr *address)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module, &bias);
    size_t count = 0;
    if (!elf || elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        if (file_offset >= segment.p_offset && file_offset < segment.p_offset + segment.p_filesz) {
            *address = file_offset - segment.p_offset + segment.p_vaddr + bias;
            return true;
        }
    }
    return false;
}

static void symbols_build_id(struct symbols *s)
{
    const unsigned char *bits;
    GElf_Addr address;
    int length = dwfl_module_build_id(s->module, &bits, &address);
    s->build_id[0] = '\0';
    for (int i = 0; i < length && (size_t)i * 2 + 2 < sizeof s->build_id; i++)
        snprintf(s->build_id + (size_t)i * 2, 3, "%02x", bits[i]);
}

// --- names

static const char *symbols_die_text(Dwarf_Die *die, unsigned int attribute)
{
    Dwarf_Attribute storage;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &storage));
}

// The linkage name tells overloads and classes apart; C has none.
static const char *symbols_die_name(Dwarf_Die *die)
{
    const char *name = symbols_die_text(die, DW_AT_linkage_name);
    if (!name)
        name = symbols_die_text(die, DW_AT_MIPS_linkage_name);
    return name ? name : dwarf_diename(die);
}

static struct symbols_source symbols_call_site(Dwarf_Die *inlined, Dwarf_Die *unit)
{
    Dwarf_Attribute storage;
    Dwarf_Word file, line;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &storage), &line) != 0)
        return (struct symbols_source){0};
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &storage), &file) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
        return (struct symbols_source){.line = (int)line};
    return (struct symbols_source){.file = dwarf_filesrc(files, file, NULL, NULL),
                                   .folder = symbols_die_text(unit, DW_AT_comp_dir),
                                   .line = (int)line};
}

// address: of the unit's own.
static struct symbols_source symbols_line(Dwarf_Die *unit, Dwarf_Addr address)
{
    struct symbols_source source = {0};
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address) : NULL;
    if (!line || dwarf_lineno(line, &source.line) != 0)
        return source;
    source.file = dwarf_linesrc(line, NULL, NULL);
    source.folder = symbols_die_text(unit, DW_AT_comp_dir);
    return source;
}

// --- writing

struct symbols_row {
    int64_t id;
    const char *function;
    int64_t offset;
    struct symbols_source source;
    int64_t inline_of;
};

// Relative names start where the compiler ran.
static const char *symbols_file(const struct symbols_source *source, char *room, size_t size)
{
    if (!source->file || *source->file == '/' || !source->folder || *source->folder != '/')
        return source->file;
    int length = snprintf(room, size, "%s/%s", source->folder, source->file);
    return length > 0 && (size_t)length < size ? room : source->file;
}

static void symbols_write(struct symbols *s, const struct symbols_row *row)
{
    char *readable = row->function ? demangle(row->function) : NULL;
    char joined[PATH_MAX];
    const char *file = row->source.line > 0 ? symbols_file(&row->source, joined, sizeof joined) : NULL;
    RECORD(s->request->queue, RECORDING_PLACE_SYMBOL, RECORD_NUMBER(row->id),
           RECORD_TEXT(*s->build_id ? s->build_id : NULL),
           RECORD_TEXT(readable ? readable : row->function), RECORD_NUMBER(row->offset),
           RECORD_TEXT(file), file ? RECORD_NUMBER(row->source.line) : RECORD_NULL,
           RECORD_NUMBER(row->inline_of));
    if (file)
        source_lines_want(&s->lines, s->owner, file, row->source.line, s->weight);
    free(readable);
}

static int64_t symbols_new_place(struct symbols *s, const char *path)
{
    int64_t id = s->next_place++;
    RECORD(s->request->queue, RECORDING_PLACE, RECORD_NUMBER(id), RECORD_TEXT(path), RECORD_NULL, RECORD_NULL,
           RECORD_NULL, RECORD_NULL, RECORD_NULL, RECORD_NULL, RECORD_NULL);
    return id;
}

// --- one place

// From the innermost function outwards: each inlined one stands at its own line, its caller at the line of the call.
// first: the row of the place; address: of the unit's own. False: the unit tells no function, nothing is written.
static bool symbols_write_scopes(struct symbols *s, const char *path, Dwarf_Die *unit, Dwarf_Addr address,
                                 const struct symbols_row *first)
{
    Dwarf_Die found[INLINED_CALLS_MAX];
    int count = unit ? inlined_calls_find(&s->scopes, unit, address, found) : 0;
    struct symbols_row row = *first;
    for (int i = 0; i < count; i++) {
        row.function = symbols_die_name(&found[i]);
        row.inline_of = i + 1 < count ? symbols_new_place(s, path) : RECORDING_NULL;
        symbols_write(s, &row);
        if (i + 1 < count)
            row = (struct symbols_row){
                .id = row.inline_of, .offset = RECORDING_NULL, .source = symbols_call_site(&found[i], unit)};
    }
    return count > 0;
}

static void symbols_resolve_place(struct symbols *s, int64_t id, const struct call_stacks_place *place, bool with_lines)
{
    GElf_Addr address;
    if (!s->module || !symbols_address(s->module, place->address, &address))
        return;
    const struct function_table_item *function = function_table_find(&s->functions, address);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = with_lines ? unit_table_find(&s->units, s->module, address, &bias) : NULL;
    // Without the version of the symbol, which stands behind the name where both are in one text.
    char *name = function ? strndup(function->name, strcspn(function->name, "@")) : NULL;
    const struct symbols_row row = {.id = id,
                                    .function = name,
                                    .offset = function ? (int64_t)(address - function->start) : RECORDING_NULL,
                                    .inline_of = RECORDING_NULL,
                                    .source = symbols_line(unit, address - bias)};
    bool is_named = symbols_write_scopes(s, place->path, unit, address - bias, &row);
    if (!is_named && (row.function || row.source.file)) {
        symbols_write(s, &row);
        is_named = true;
    }
    s->nameless[id - 1] = !is_named;
    s->resolved += is_named;
    free(name);
}

// --- all places, file by file

// Places that matter, by file and address, and the weight of each file.
struct symbols_order {
    const struct call_stacks *stacks;
    const uint64_t *weights;       // by id - 1
    int64_t *ids;
    size_t count;
    uint64_t all;                  // weight of everything
};

static const struct call_stacks_place *symbols_place(const struct symbols_order *order, size_t i)
{
    return &order->stacks->places[order->ids[i] - 1];
}

static int symbols_by_path(const void *a, const void *b, void *stacks)
{
    const struct call_stacks_place *left = &((const struct call_stacks *)stacks)->places[*(const int64_t *)a - 1];
    const struct call_stacks_place *right = &((const struct call_stacks *)stacks)->places[*(const int64_t *)b - 1];
    if (left->path != right->path) // interned: equal texts are one text
        return (uintptr_t)left->path < (uintptr_t)right->path ? -1 : 1;
    if (left->pid != right->pid)
        return left->pid < right->pid ? -1 : 1;
    return left->address < right->address ? -1 : left->address > right->address;
}

static int symbols_make_order(struct symbols_order *order)
{
    int64_t places = order->stacks->place_count;
    order->ids = malloc(((size_t)places + 1) * sizeof *order->ids);
    if (!order->ids)
        return -ENOMEM;
    for (int64_t i = 0; i < places; i++)
        if (order->weights[i] > 0 && (*order->stacks->places[i].path == '/' || order->stacks->places[i].pid > 0))
            order->ids[order->count++] = i + 1;
    for (int64_t i = 0; i < order->stacks->stack_count; i++)
        order->all += order->stacks->links[i].weight;
    qsort_r(order->ids, order->count, sizeof *order->ids, symbols_by_path, (void *)order->stacks);
    return 0;
}

// End of the source locations of one file, or of one process's code without a file, which begin at i. *weight gets the
// largest weight among them.
static size_t symbols_file_end(const struct symbols_order *order, size_t i, uint64_t *weight)
{
    const struct call_stacks_place *first = symbols_place(order, i);
    *weight = 0;
    for (; i < order->count; i++) {
        const struct call_stacks_place *place = symbols_place(order, i);
        const uint64_t found = order->weights[order->ids[i] - 1];
        if (place->path != first->path || place->pid != first->pid)
            break;
        *weight = found > *weight ? found : *weight;
    }
    return i;
}

// Nobody changes the C library, and nobody has its sources beside it: its functions say all. Its debug information is
// compressed, and to inflate it takes longer than all else at the end of a short run. Version 2.33 and older ones have
// their number in the file's name.
static bool symbols_is_c_library(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return strcmp(name, "libc.so.6") == 0 || strncmp(name, "libc-2.", 7) == 0;
}

static void symbols_open(struct symbols *s, Dwfl **dwfl, const char *path, bool with_debug, bool with_lines,
                         size_t places)
{
    Dwarf_Addr unused;
    s->build_id[0] = '\0';
    s->module = debug_files_open(s->request->files, path, with_debug, dwfl);
    if (!s->module)
        return;
    s->owner = program_files_owner(s->request->files, path);
    symbols_build_id(s);
    if (with_lines)
        debug_files_dwarf(s->module, &unused); // for all that reads it, once
    function_table_read(&s->functions, s->module, places);
}

// Other files than programs are worth their debug information from this share of all samples on.
enum { SYMBOLS_DEBUG_PERCENT = 5, SYMBOLS_DEBUG_LEAST = 1000 };

static bool symbols_wants_debug(const struct symbols_order *order, const struct table *programs, const char *path,
                                uint64_t weight)
{
    uint64_t unused;
    return table_get(programs, (uintptr_t)path, &unused) ||
           (weight >= SYMBOLS_DEBUG_LEAST && weight * 100 >= order->all * SYMBOLS_DEBUG_PERCENT);
}

static void symbols_resolve_file(struct symbols *s, const struct symbols_order *order, size_t i, size_t end,
                                 bool with_debug)
{
    Dwfl *dwfl;
    const char *path = symbols_place(order, i)->path;
    const bool with_lines = with_debug && !symbols_is_c_library(path);
    symbols_open(s, &dwfl, path, with_debug, with_lines, end - i);
    for (; i < end; i++) {
        s->weight = order->weights[order->ids[i] - 1];
        symbols_resolve_place(s, order->ids[i], symbols_place(order, i), with_lines);
        progress_tell(s->request->progress, i, order->count);
    }
    function_table_free(&s->functions);
    unit_table_free(&s->units);
    inlined_calls_free(&s->scopes);
    dwfl_end(dwfl);
}

// The user whose process it is, which root may have attached to; ours if it has ended.
static uid_t symbols_user_of(pid_t pid)
{
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", pid);
    return stat(path, &status) == 0 ? status.st_uid : getuid();
}

// Code without a file: the compiler that made it may have left names.
static void symbols_resolve_compiled(struct symbols *s, const struct symbols_order *order, size_t i, size_t end)
{
    struct jit_symbols map;
    const pid_t pid = symbols_place(order, i)->pid;
    s->build_id[0] = '\0';
    if (jit_symbols_read(&map, pid, symbols_user_of(pid), s->request->since) < 0)
        return;
    for (; i < end; i++) {
        uint64_t address = symbols_place(order, i)->address;
        const struct jit_symbols_entry *entry = jit_symbols_find(&map, address);
        if (!entry)
            continue;
        const struct symbols_row row = {.id = order->ids[i],
                                        .function = entry->name,
                                        .offset = (int64_t)(address - entry->start),
                                        .inline_of = RECORDING_NULL};
        symbols_write(s, &row);
        s->resolved++;
    }
    jit_symbols_free(&map);
}

static void symbols_resolve_files(struct symbols *s, const struct symbols_order *order)
{
    for (size_t i = 0, end; i < order->count; i = end) {
        uint64_t weight;
        const char *path = symbols_place(order, i)->path;
        end = symbols_file_end(order, i, &weight);
        if (*path == '/')
            symbols_resolve_file(s, order, i, end, symbols_wants_debug(order, s->request->programs, path, weight));
        else if (*path == '\0')
            symbols_resolve_compiled(s, order, i, end);
    }
}

static void symbols_found_called(void *context, int64_t place, const char *name)
{
    struct symbols *s = context;
    symbols_write(s, &(struct symbols_row){
                         .id = place, .function = name, .offset = RECORDING_NULL, .inline_of = RECORDING_NULL});
    s->resolved++;
}

// The rest by what their callers call.
static void symbols_resolve_called(struct symbols *s)
{
    s->build_id[0] = '\0';
    called_names_find(&(struct called_names_request){.stacks = s->request->stacks,
                                                     .wanted = s->nameless,
                                                     .files = s->request->files,
                                                     .found = symbols_found_called,
                                                     .context = s});
}

int64_t symbols_resolve(const struct symbols_request *request)
{
    struct symbols s = {.request = request, .next_place = request->stacks->place_count + 1};
    uint64_t *weights = call_stacks_place_weights(request->stacks, request->programs);
    struct symbols_order order = {.stacks = request->stacks, .weights = weights};
    s.nameless = calloc((size_t)request->stacks->place_count + 1, sizeof *s.nameless);
    if (weights && s.nameless && symbols_make_order(&order) == 0) {
        symbols_resolve_files(&s, &order);
        symbols_resolve_called(&s);
    }
    source_lines_write(&s.lines, request->queue);
    source_lines_free(&s.lines);
    free(order.ids);
    free(weights);
    free(s.nameless);
    *request->next_place = s.next_place;
    return s.resolved;
}
