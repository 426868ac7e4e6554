// SPDX-License-Identifier: Apache-2.0
// The source text around the lines where samples stand, kept in the recording: a report on another machine shows it, and
// needs no file that a recording names. Only of files that are source by their names, regular, and readable for whoever
// records; the last part of the name is no symbolic link.
#ifndef PROFILER_SYMBOLS_SOURCE_LINES_H
#define PROFILER_SYMBOLS_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

struct recording_queue;

struct source_lines {               // all zero: none
    struct intern *files;
    struct source_lines_place *places;
    size_t count, size;
};

// Debug information names this line of a file, and samples of that weight stand there. Without memory it is left out.
void source_lines_want(struct source_lines *lines, const char *file, int line, uint64_t weight);

// Writes the text around the SOURCE_LINES_MOST heaviest places that can be read.
void source_lines_write(struct source_lines *lines, struct recording_queue *queue);
void source_lines_free(struct source_lines *lines);

#endif
