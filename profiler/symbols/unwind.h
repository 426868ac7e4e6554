// SPDX-License-Identifier: Apache-2.0
// Call stacks from a copied piece of stack memory, through elfutils: optimised code keeps no frame pointers, and the
// line that a user can change is often several callers above the sampled one.
#ifndef PROFILER_SYMBOLS_UNWIND_H
#define PROFILER_SYMBOLS_UNWIND_H

#include "collectors/perf/perf_record.h"
#include "collectors/processes/tasks.h"
#include "profiler/symbols/files/program_files.h"

struct unwind;

// NULL: out of memory. One thread uses it.
struct unwind *unwind_open(struct program_files *files);
void unwind_close(struct unwind *unwind);

// Addresses of the call stack, innermost first; all but the first are return addresses. Returns their number; 0: the
// sample has no registers or no stack. truncated: the copied piece of stack ended before the call stack did.
size_t unwind_walk(struct unwind *unwind, const struct process *process, const struct perf_sample *sample,
                   uint64_t *addresses, size_t max, bool *truncated);

// The stack pointer where the sample was taken; 0: not known.
uint64_t unwind_stack_pointer(const struct perf_sample *sample);

#endif
