// SPDX-License-Identifier: Apache-2.0
// Shared addresses of code: one for each instruction of a file, wherever processes map the file. So what is known of a
// file, and of a walk through it, serves all processes. Code that is in no file, and programs that are linked to a
// fixed address, keep the addresses that they have.
#ifndef PROFILER_SYMBOLS_UNWIND_CODE_H
#define PROFILER_SYMBOLS_UNWIND_CODE_H

#include "collectors/processes/tasks.h"
#include "profiler/symbols/files/program_files.h"

#define UNWIND_CODE_SHARED (UINT64_C(1) << 62) // the first of them; no process has such an address

enum { UNWIND_CODE_SEGMENTS = 4 };

struct unwind_code_segment {
    uint64_t start, end;           // offsets in the file
    uint64_t moved;                // address in the file's own numbering, less the offset
};

struct unwind_code_file {
    const char *path;              // interned
    uint64_t base;                 // shared address, less the address in the file's own numbering
    uint64_t start, end;           // of all segments, in the file's own numbering
    bool usable;                   // it was read, and is as it was
    bool is_fixed;                 // its code has a fixed address
    size_t count;                  // of segments with code
    struct unwind_code_segment segments[UNWIND_CODE_SEGMENTS];
};

struct unwind_code;

// NULL: out of memory.
struct unwind_code *unwind_code_open(struct program_files *files);
void unwind_code_close(struct unwind_code *code);

// To be called before the other functions are asked about a process. Looks whether its files are as they were.
// Returns the program with fixed addresses that it runs; NULL: none.
const struct unwind_code_file *unwind_code_enter(struct unwind_code *code, const struct process *process);

// The shared address of code; the address itself if there is none.
uint64_t unwind_code_share(struct unwind_code *code, const struct process *process, uint64_t address);

// The file of a shared address; NULL: none. fixed: what unwind_code_enter returned.
const struct unwind_code_file *unwind_code_at(const struct unwind_code *code, const struct unwind_code_file *fixed,
                                              uint64_t address);

#endif
