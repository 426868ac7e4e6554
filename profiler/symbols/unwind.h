// SPDX-License-Identifier: Apache-2.0
// Call paths from a copied piece of stack, through elfutils: optimised code keeps no frame pointers, and the line a user
// can change is often several callers above the one that faulted.
#ifndef PROFILER_SYMBOLS_UNWIND_H
#define PROFILER_SYMBOLS_UNWIND_H

#include "collectors/perf/perf_record.h"
#include "collectors/processes/tasks.h"
#include "profiler/symbols/program_files.h"

struct unwind;

// NULL: out of memory. One thread uses it.
struct unwind *unwind_open(struct program_files *files);
void unwind_close(struct unwind *unwind);

// Addresses of the call stack, innermost first; all but the first are return addresses. Returns how many, 0 if the
// sample has no registers or no stack. truncated: the copied piece of stack ended before the path did.
size_t unwind_walk(struct unwind *unwind, const struct process *process, const struct perf_sample *sample,
                   uint64_t *addresses, size_t max, bool *truncated);

// The stack pointer where the sample was taken; 0: not known.
uint64_t unwind_stack_pointer(const struct perf_sample *sample);

// The process ended or runs another program.
void unwind_forget(struct unwind *unwind, int64_t process);

#endif
