// SPDX-License-Identifier: Apache-2.0
// Gives objects that are variables the place where they are declared.
#ifndef PROFILER_SYMBOLS_OBJECT_DECLARATIONS_H
#define PROFILER_SYMBOLS_OBJECT_DECLARATIONS_H

#include "collectors/heap/objects.h"
#include "profiler/symbols/program_files.h"

struct object_declarations_request {
    struct objects *objects;       // whose variables are put in the order of files and addresses
    struct program_files *files;
    const struct table *programs;  // interned paths of the files that ran
    struct recording_queue *queue;
    int64_t next_place, next_stack; // ids to go on from
};

void object_declarations_resolve(const struct object_declarations_request *request);

#endif
