// SPDX-License-Identifier: Apache-2.0
// Gives objects that are variables the place where they are declared.
#ifndef PROFILER_DECLARED_H
#define PROFILER_DECLARED_H

#include "collectors/objects.h"
#include "profiler/files.h"

struct declared_request {
    struct objects *objects;       // whose variables are put in the order of files and addresses
    struct files *files;
    const struct table *programs;  // interned paths of the files that ran
    struct record_queue *queue;
    int64_t next_place, next_stack; // ids to go on from
};

void declared_resolve(const struct declared_request *request);

#endif
