// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verify_words[] = {
    [VERIFY_UNKNOWN] = "not verified", [VERIFY_RIGHT] = "verified",
    [VERIFY_PARTLY] = "verified in part", [VERIFY_NOTHING] = "counts nothing",
    [VERIFY_HALF] = "counts half",     [VERIFY_DOUBLE] = "counts double",
    [VERIFY_OTHER] = "counts other things",
};

static const char *const verify_patterns[VERIFY_PATTERNS] = {
    [VERIFY_RANDOM] = "random reads",
    [VERIFY_STREAM] = "stream",
    [VERIFY_STORES] = "random stores",
    [VERIFY_CACHED] = "reads of the own cache",
    [VERIFY_NEIGHBOUR] = "accesses of a neighbour CPU",
    [VERIFY_TAKEN] = "random reads of lines modified in another node",
    [VERIFY_TAKEN_STREAM] = "stream of lines modified in another node",
    [VERIFY_TAKEN_STORES] = "random stores to lines modified in another node",
    [VERIFY_BESIDE] = "random reads of lines modified in the same node",
    [VERIFY_BESIDE_STREAM] = "stream of lines modified in the same node",
    [VERIFY_BESIDE_STORES] = "random stores to lines modified in the same node",
    [VERIFY_SOFTWARE] = "software prefetches",
};

const char *verify_word_name(enum verify_word word)
{
    return verify_words[word];
}

const char *verify_pattern_name(enum verify_pattern pattern)
{
    return verify_patterns[pattern];
}

bool verify_word_is_wrong(enum verify_word word)
{
    return word >= VERIFY_NOTHING;
}

int verify_make(struct verify *verify, const int *from, size_t from_count, const int *to, size_t to_count)
{
    size_t pairs = from_count * to_count;
    *verify = (struct verify){.from_count = from_count, .to_count = to_count};
    verify->from = malloc(from_count * sizeof *from);
    verify->to = malloc(to_count * sizeof *to);
    verify->cells = calloc(pairs * VERIFY_EVENTS * VERIFY_PATTERNS, sizeof *verify->cells);
    verify->loads = calloc(pairs, sizeof *verify->loads);
    if (!verify->from || !verify->to || !verify->cells || !verify->loads) {
        verify_free(verify);
        return -ENOMEM;
    }
    memcpy(verify->from, from, from_count * sizeof *from);
    memcpy(verify->to, to, to_count * sizeof *to);
    return 0;
}

void verify_free(struct verify *verify)
{
    free(verify->from);
    free(verify->to);
    free(verify->cells);
    free(verify->loads);
    *verify = (struct verify){0};
}

struct verify_cell *verify_cell(const struct verify *verify, size_t event, enum verify_pattern pattern, size_t from,
                                size_t to)
{
    return &verify->cells[((event * VERIFY_PATTERNS + pattern) * verify->from_count + from) * verify->to_count + to];
}

static int verify_compare(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

void verify_cell_add(struct verify_cell *cell, uint64_t lines)
{
    if (cell->run_count == VERIFY_RUNS)
        return;
    cell->counted = true;
    cell->runs[cell->run_count++] = lines;
    qsort(cell->runs, (size_t)cell->run_count, sizeof *cell->runs, verify_compare);
    cell->lines = cell->runs[cell->run_count / 2];
}

struct verify_loads *verify_loads(const struct verify *verify, size_t from, size_t to)
{
    return &verify->loads[from * verify->to_count + to];
}

void verify_note(struct verify *verify, const char *format, ...)
{
    if (verify->note_count == VERIFY_NOTES)
        return;
    char *note = verify->notes[verify->note_count];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof verify->notes[0], format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < verify->note_count; i++)
        if (strcmp(verify->notes[i], note) == 0)
            return;
    verify->note_count++;
}

bool verify_local_is_the_node(const struct verify *verify)
{
    return strncmp(verify->local, VERIFY_LOCAL_NODE, strlen(VERIFY_LOCAL_NODE)) == 0;
}
