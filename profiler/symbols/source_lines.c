// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/source_lines.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/recording/recording_queue.h"
#include "core/util/grow.h"
#include "core/util/intern.h"

enum {
    SOURCE_LINES_MOST = 512,        // places; with their surroundings some 200 KiB
    SOURCE_LINES_BEFORE = 3,        // as reports/numaprof/text/source_lines.py shows them
    SOURCE_LINES_AFTER = 4,
    SOURCE_LINES_WIDEST = 400,      // bytes of a line
    SOURCE_LINES_FILE = 4 << 20,    // bytes; larger files are generated ones
};

struct source_lines_place {
    const char *file;               // interned
    struct open_as owner;           // of the program that names it
    uint64_t weight;
    int line;
};

// As reports/numaprof/text/source_lines.py has them: a test compares.
static const char *const source_lines_suffixes[] = {
    ".c",   ".h",   ".cc",  ".cpp", ".cxx", ".c++", ".hh",  ".hpp", ".hxx", ".inl", ".ipp",   ".tpp", ".cu",    ".s",
    ".asm", ".f",   ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".ftn", ".rs",  ".go",    ".d",   ".zig",   ".nim",
    ".jl",  ".py",  ".pyx", ".java", ".kt", ".scala", ".cs", ".swift", ".m", ".mm", ".ads",   ".adb", ".pas",   ".ml",
    ".hs",
};

static bool source_lines_is_source(const char *file)
{
    const char *suffix = strrchr(file, '.');
    for (size_t i = 0; suffix && i < sizeof source_lines_suffixes / sizeof *source_lines_suffixes; i++)
        if (strcasecmp(suffix, source_lines_suffixes[i]) == 0)
            return true;
    return false;
}

void source_lines_want(struct source_lines *lines, struct open_as owner, const char *file, int line, uint64_t weight)
{
    if (*file != '/' || !source_lines_is_source(file)) // a relative name would lead to a file of where numaprof runs
        return;
    struct source_lines_place *places = grow_array(lines->places, &lines->size, lines->count + 1, sizeof *places);
    if (!places)
        return;
    lines->places = places;
    const char *name = intern_text(&lines->files, file);
    if (*name)
        lines->places[lines->count++] =
            (struct source_lines_place){.file = name, .owner = owner, .weight = weight, .line = line};
}

// By file and line, the heaviest first of one line.
static int source_lines_by_place(const void *a, const void *b)
{
    const struct source_lines_place *left = a, *right = b;
    if (left->file != right->file) // interned: equal texts are one text
        return (uintptr_t)left->file < (uintptr_t)right->file ? -1 : 1;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return left->weight > right->weight ? -1 : left->weight < right->weight;
}

static int source_lines_by_weight(const void *a, const void *b)
{
    const struct source_lines_place *left = a, *right = b;
    return left->weight > right->weight ? -1 : left->weight < right->weight;
}

// The heaviest places, each line once, by file and line.
static void source_lines_choose(struct source_lines *lines)
{
    size_t kept = 0;
    qsort(lines->places, lines->count, sizeof *lines->places, source_lines_by_place);
    for (size_t i = 0; i < lines->count; i++)
        if (kept == 0 || lines->places[kept - 1].file != lines->places[i].file ||
            lines->places[kept - 1].line != lines->places[i].line)
            lines->places[kept++] = lines->places[i];
    qsort(lines->places, kept, sizeof *lines->places, source_lines_by_weight);
    lines->count = kept < SOURCE_LINES_MOST ? kept : SOURCE_LINES_MOST;
    qsort(lines->places, lines->count, sizeof *lines->places, source_lines_by_place);
}

// A regular file only, and never waits: a pipe or device may stand in its place.
static FILE *source_lines_open(const char *name, struct open_as owner)
{
    struct stat status;
    int fd = open_as(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC, owner);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > SOURCE_LINES_FILE) {
        close(fd);
        return NULL;
    }
    FILE *file = fdopen(fd, "r");
    if (!file)
        close(fd);
    return file;
}

static void source_lines_put(const char *file, int number, char *text, struct recording_queue *queue)
{
    text[strcspn(text, "\r\n")] = '\0';
    if (strlen(text) > SOURCE_LINES_WIDEST)
        text[SOURCE_LINES_WIDEST] = '\0';
    RECORD(queue, RECORDING_SOURCE_LINE, RECORD_TEXT(file), RECORD_NUMBER(number), RECORD_TEXT(text));
}

// With whose rights to read the file of these places: of the owner of the programs that name it, beside those of root.
// False: programs of several users name it, and each could be out for what another user may read.
static bool source_lines_reader(const struct source_lines_place *places, size_t count, struct open_as *reader)
{
    *reader = places->owner;
    for (size_t i = 1; i < count; i++) {
        const struct open_as owner = places[i].owner;
        if (owner.uid != 0 && reader->uid != 0 && owner.uid != reader->uid)
            return false;
        *reader = reader->uid != 0 ? *reader : owner;
    }
    return true;
}

// Of one file: count places, by line.
static void source_lines_copy(const struct source_lines_place *places, size_t count, struct recording_queue *queue)
{
    struct open_as reader;
    FILE *file = source_lines_reader(places, count, &reader) ? source_lines_open(places->file, reader) : NULL;
    char *text = NULL;
    size_t room = 0, next = 0;
    for (int number = 1; file && next < count && getline(&text, &room, file) >= 0; number++) {
        while (next < count && number > places[next].line + SOURCE_LINES_AFTER)
            next++;
        if (next < count && number >= places[next].line - SOURCE_LINES_BEFORE)
            source_lines_put(places->file, number, text, queue);
    }
    free(text);
    if (file)
        fclose(file);
}

void source_lines_write(struct source_lines *lines, struct recording_queue *queue)
{
    if (lines->count == 0)
        return;
    source_lines_choose(lines);
    for (size_t i = 0, end; i < lines->count; i = end) {
        for (end = i; end < lines->count && lines->places[end].file == lines->places[i].file; end++)
            ;
        source_lines_copy(lines->places + i, end - i, queue);
    }
}

void source_lines_free(struct source_lines *lines)
{
    free(lines->places);
    intern_free(lines->files);
    *lines = (struct source_lines){0};
}
