// SPDX-License-Identifier: Apache-2.0
// From addresses in files to functions, files and lines, inlined calls included, through elfutils. Reads debug information
// in the file, beside it and below /usr/lib/debug (by build id and debug link); never asks the network.
#ifndef PROFILER_SYMBOLS_SYMBOLS_H
#define PROFILER_SYMBOLS_SYMBOLS_H

#include "collectors/samples/call_stacks.h"
#include "profiler/launch/progress.h"
#include "profiler/symbols/program_files.h"

// Resolves the places that matter (call_stacks_place_weights) and updates the recording; inlined callers become new places. Places
// of programs get function, file and line; of other files too where they matter much, else the function, as far as the
// file itself names it: the C library's debug information is large, and nobody changes its lines. What is not resolved
// stays module and address. programs: interned paths of the executables. Code without a file is looked for in
// perf-PID.map, written since that time. progress: is told, as begun. Returns how many places got at least a function.
struct symbols_request {
    const struct call_stacks *stacks;
    const struct table *programs;
    struct program_files *files;
    time_t since;
    struct recording_queue *queue;
    struct progress *progress;
    int64_t *next_place;           // out: the next free id of a place
};
int64_t symbols_resolve(const struct symbols_request *request);

#endif
