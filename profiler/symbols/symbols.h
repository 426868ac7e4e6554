// SPDX-License-Identifier: Apache-2.0
// Resolves addresses in files to functions and source lines, inlined calls included, through elfutils. Reads debug
// information in the file, beside it and below /usr/lib/debug (by build id and debug link), never from the network.
#ifndef PROFILER_SYMBOLS_SYMBOLS_H
#define PROFILER_SYMBOLS_SYMBOLS_H

#include "collectors/samples/call_stacks.h"
#include "profiler/output/progress.h"
#include "profiler/symbols/files/program_files.h"

// Resolves the places with weight (call_stacks_place_weights) and updates the recording; inlined callers become new
// places. Places of programs get function, file and line, and so do heavy places of other files. Light places of other
// files get the function that the file's symbol table names: debug information of the C library is large, and its lines
// are not the user's. An unresolved place keeps module and address. programs: interned paths of the executables. since:
// perf-PID.map files last written before are not used. progress: was begun by the caller. Returns the number of places
// that got at least a function.
struct symbols_request {
    const struct call_stacks *stacks;
    const struct table *programs;
    struct program_files *files;
    time_t since;
    struct recording_queue *queue;
    struct progress *progress;
    int64_t *next_place;           // output: the next free id of a place
};
int64_t symbols_resolve(const struct symbols_request *request);

#endif
