// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/import_faults.h"

#include <stdlib.h>

#include "core/util/grow.h"
#include "recording_codes.h"

enum {
    IMPORT_FAULTS_PAGE_SHIFT = 12,
    IMPORT_FAULTS_HUGE_SHIFT = 21,
    IMPORT_FAULTS_HUGE_PAGES = 512,
    IMPORT_FAULTS_LONE_LEAST = 2, // one alone may be the used end of a stack
};

bool import_faults_may_place(const struct mapping *mapping)
{
    if (!mapping)
        return false;
    return mapping->kind == MAPPING_ANONYMOUS || mapping->kind == MAPPING_HEAP || mapping->kind == MAPPING_STACK ||
           (mapping->kind == MAPPING_STATIC && !mapping->file_backed);
}

// Key of the 2 MiB around the address; 0: no huge page can be there.
static uint64_t import_faults_window(const struct import_faults *faults, uint64_t address, uint64_t key,
                                     const struct mapping *mapping)
{
    const uint64_t bytes = UINT64_C(1) << IMPORT_FAULTS_HUGE_SHIFT, start = address & ~(bytes - 1);
    if (!faults->has_huge_pages || start < mapping->start || mapping->end - start < bytes)
        return 0;
    return table_mix(key, start) | 1;
}

// Adds to the number of a key, wrapping. Returns the number before.
static uint64_t import_faults_change(struct table *table, uint64_t key, uint64_t change)
{
    uint64_t count = 0;
    table_get(table, key, &count);
    table_put(table, key, count + change);
    return count;
}

static void import_faults_count(struct import_faults *faults, const struct import_faults_row *fault)
{
    if (fault->window == 0)
        return;
    const uint64_t before = import_faults_change(&faults->windows, fault->window, 1);
    if (before < 2) // its first makes it lone, its second no longer
        import_faults_change(&faults->lone, fault->mapping, before == 0 ? 1 : UINT64_MAX);
}

void import_faults_add(struct import_faults *faults, const struct samples_row *row, int64_t process,
                       const struct mapping *mapping)
{
    const uint64_t address = (uint64_t)row->address, key = table_mix((uint64_t)process, mapping->serial);
    const uint64_t page = table_mix(key, address >> IMPORT_FAULTS_PAGE_SHIFT);
    uint64_t first;
    struct import_faults_row *rows = faults->count < IMPORT_FAULTS_KEPT
                                         ? grow_array(faults->rows, &faults->size, faults->count + 1, sizeof *rows)
                                         : NULL;
    if (!rows) {
        samples_put(faults->samples, row);
        return;
    }
    faults->rows = rows;
    struct import_faults_row *fault = &rows[faults->count];
    *fault = (struct import_faults_row){.row = *row, .mapping = key,
                                         .window = import_faults_window(faults, address, key, mapping)};
    if (table_get(&faults->pages, page, &first))
        fault->repeats = rows[first].repeats = true;
    else
        fault->repeats = table_put(&faults->pages, page, faults->count) < 0;
    import_faults_count(faults, fault);
    faults->count++;
}

// The only fault of 2 MiB that one mapping covers, in a mapping with more such faults: the kernel put huge pages there.
static bool import_faults_is_huge(const struct import_faults *faults, const struct import_faults_row *fault)
{
    uint64_t count, lone;
    return faults->has_huge_pages && fault->window != 0 && table_get(&faults->windows, fault->window, &count) &&
           count == 1 && table_get(&faults->lone, fault->mapping, &lone) && lone >= IMPORT_FAULTS_LONE_LEAST;
}

void import_faults_finish(struct import_faults *faults)
{
    for (size_t i = 0; i < faults->count; i++) {
        struct import_faults_row *fault = &faults->rows[i];
        if (!fault->repeats) {
            const bool is_huge = import_faults_is_huge(faults, fault);
            fault->row.kind = RECORDING_KIND_FIRST_TOUCH;
            fault->row.weight = is_huge ? IMPORT_FAULTS_HUGE_PAGES : 1;
            faults->first_touches++;
            faults->huge += is_huge;
        }
        samples_put(faults->samples, &fault->row);
    }
    faults->count = 0;
}

void import_faults_free(struct import_faults *faults)
{
    free(faults->rows);
    table_free(&faults->pages);
    table_free(&faults->windows);
    table_free(&faults->lone);
}
