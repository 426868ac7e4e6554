// SPDX-License-Identifier: Apache-2.0
// Sets the source location of the declaration of objects that are variables.
#ifndef PROFILER_SYMBOLS_OBJECT_DECLARATIONS_H
#define PROFILER_SYMBOLS_OBJECT_DECLARATIONS_H

#include "collectors/heap/objects.h"
#include "profiler/symbols/files/program_files.h"

struct object_declarations_request {
    struct objects *objects;       // their variables are sorted by file and address
    struct program_files *files;
    const struct table *programs;  // interned paths of the files that ran
    struct recording_queue *queue;
    int64_t next_place, next_stack; // the next free ids
};

void object_declarations_resolve(const struct object_declarations_request *request);

#endif
