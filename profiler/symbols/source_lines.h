// SPDX-License-Identifier: Apache-2.0
// Stores the source text around sampled lines in the recording, so that a report on another machine can show it without
// opening a file that a recording names. Only regular files with an absolute path and a source file's name that the
// recording user and the owner of the program can read; symbolic links in the last part of the path are not followed.
#ifndef PROFILER_SYMBOLS_SOURCE_LINES_H
#define PROFILER_SYMBOLS_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "core/process/open_as.h"

struct recording_queue;

struct source_lines {               // all zero: none
    struct intern *files;
    struct source_lines_place *places;
    size_t count, size;
};

// Adds a line that debug information of a program with this owner names, with the weight of its samples. Without memory
// it is left out.
void source_lines_want(struct source_lines *lines, struct open_as owner, const char *file, int line, uint64_t weight);

// Writes the text around the SOURCE_LINES_MOST heaviest lines that can be read.
void source_lines_write(struct source_lines *lines, struct recording_queue *queue);
void source_lines_free(struct source_lines *lines);

#endif
