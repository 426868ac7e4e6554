// SPDX-License-Identifier: Apache-2.0
// Names of functions that their own file does not name: stripped libraries keep only the names that they export, and
// the variants that libc chooses by CPU (of memcpy, memset) are not among them. The call that led there says the name.
#ifndef PROFILER_SYMBOLS_CALLED_NAMES_H
#define PROFILER_SYMBOLS_CALLED_NAMES_H

#include "collectors/samples/call_stacks.h"
#include "profiler/symbols/files/program_files.h"

// A place without a name gets that of the function that its heaviest caller calls, if the place's file exports it.
// Callers of different functions, no variants, agree on no name.
struct called_names_request {
    const struct call_stacks *stacks;
    const bool *wanted;            // by id - 1 of a place: it has no name yet
    struct program_files *files;
    void (*found)(void *context, int64_t place, const char *name);
    void *context;
};
void called_names_find(const struct called_names_request *request);

#endif
