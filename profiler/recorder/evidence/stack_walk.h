// SPDX-License-Identifier: Apache-2.0
// Call stacks of samples: unwinds them, and owns the table of call stacks and the files they lead through.
#ifndef PROFILER_RECORDER_EVIDENCE_STACK_WALK_H
#define PROFILER_RECORDER_EVIDENCE_STACK_WALK_H

#include "collectors/processes/tasks.h"
#include "collectors/samples/call_stacks.h"
#include "profiler/symbols/files/program_files.h"
#include "profiler/symbols/unwind.h"

struct stack_walk {
    struct call_stacks stacks;
    struct program_files *files;     // that the target runs
    struct unwind *unwind;
};

// -ENOMEM. stack_walk_close frees it in both cases.
int stack_walk_open(struct stack_walk *walk);
void stack_walk_close(struct stack_walk *walk);

// Id of the sample's call stack; RECORDING_NULL: it has none.
int64_t stack_walk_sample(struct stack_walk *walk, const struct process *process, const struct perf_sample *sample);

// Notes what was left out.
void stack_walk_finish(const struct stack_walk *walk, const struct tasks *tasks);

#endif
