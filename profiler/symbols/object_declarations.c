// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/object_declarations.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>

#include "profiler/symbols/debug_info/variable_declarations.h"
#include "profiler/symbols/files/debug_files.h"

static int object_declarations_compare(const void *a, const void *b)
{
    const struct objects_named *left = a, *right = b;
    if (left->path != right->path) // interned
        return (uintptr_t)left->path < (uintptr_t)right->path ? -1 : 1;
    return left->address < right->address ? -1 : left->address > right->address;
}

static void object_declarations_write(struct object_declarations_request *request, const struct objects_named *named,
                                      const struct variable_declaration *declaration)
{
    int64_t place = request->next_place++, stack = request->next_stack++;
    RECORD(request->queue, RECORDING_PLACE, RECORD_NUMBER(place), RECORD_TEXT(named->path), RECORD_NULL, RECORD_NULL,
           RECORD_NULL, RECORD_NULL, RECORD_TEXT(declaration->file), RECORD_NUMBER(declaration->line), RECORD_NULL);
    RECORD(request->queue, RECORDING_STACK, RECORD_NUMBER(stack), RECORD_NUMBER(place), RECORD_NULL, RECORD_NUMBER(0));
    RECORD(request->queue, RECORDING_OBJECT_STACK, RECORD_NUMBER(named->object), RECORD_NUMBER(stack));
}

// The variables of one file.
static void object_declarations_file(struct object_declarations_request *request, const struct objects_named *named,
                                     size_t count)
{
    struct variable_declaration *wanted = calloc(count, sizeof *wanted);
    uint64_t unused;
    bool is_program = table_get(request->programs, (uintptr_t)named->path, &unused);
    Dwfl *dwfl = NULL;
    // Of libraries, only debug information in the file: reading that of the C library takes ten times a short run.
    Dwfl_Module *module = wanted ? debug_files_open(request->files, named->path, is_program, &dwfl) : NULL;
    Dwarf_Addr bias = 0;
    if (!module)
        goto done;
    for (size_t i = 0; i < count; i++)
        wanted[i].address = named[i].address;
    variable_declarations_find(debug_files_dwarf(module, &bias), wanted, count);
    for (size_t i = 0; i < count; i++)
        if (wanted[i].file)
            object_declarations_write(request, &named[i], &wanted[i]);
done:
    dwfl_end(dwfl);
    free(wanted);
}

void object_declarations_resolve(const struct object_declarations_request *asked)
{
    struct object_declarations_request request = *asked;
    struct objects_named *named = request.objects->named;
    size_t count = request.objects->named_count;
    if (count > 0)
        qsort(named, count, sizeof *named, object_declarations_compare);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && named[end].path == named[i].path; end++)
            continue;
        object_declarations_file(&request, &named[i], end - i);
    }
}
