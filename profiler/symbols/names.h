// SPDX-License-Identifier: Apache-2.0
// All names of a recording, at its end: functions and lines of places, declarations of variables, makers of files.
#ifndef PROFILER_SYMBOLS_NAMES_H
#define PROFILER_SYMBOLS_NAMES_H

#include "collectors/heap/objects.h"
#include "collectors/processes/tasks.h"
#include "collectors/samples/call_stacks.h"
#include "profiler/symbols/files/program_files.h"

struct names_request {
    const struct tasks *tasks;
    const struct call_stacks *stacks;
    struct program_files *files;
    struct objects *objects;
    time_t since;                  // perf-PID.map files last written before are not used
    bool quiet;                    // shows no progress
};

#define NAMES_MISSING "memory ran out while functions and lines were looked up: some places have no names"

// False: NAMES_MISSING.
bool names_write(const struct names_request *request);

#endif
