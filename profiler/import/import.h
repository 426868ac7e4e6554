// SPDX-License-Identifier: Apache-2.0
// Makes a recording of a perf.data file, or of the text of perf script.
#ifndef PROFILER_IMPORT_IMPORT_H
#define PROFILER_IMPORT_IMPORT_H

#include <stdbool.h>

struct import_request {
    const char *input;           // "-": standard input
    const char *output;          // NULL: the input's name with .numaprof behind it, in this folder
    const char *symfs;           // folder that holds the files of the recorded machine; NULL: those of this one
    const char *sysroot;         // folder with the /sys of the recorded machine; NULL: what the file tells
    bool quiet;
};

// Prints what is wrong, or where the recording is. Returns the exit status.
int import_run(const struct import_request *request);

#endif
