// SPDX-License-Identifier: Apache-2.0
// Programs that the processes run: which of them have the preload library, and a note for those that cannot.
#ifndef PROFILER_RECORDER_TARGETS_PROGRAMS_H
#define PROFILER_RECORDER_TARGETS_PROGRAMS_H

#include "profiler/launch/target.h"
#include "profiler/recorder/evidence/counter_sets.h"

// Programs that could load the preload library and never connected; and notes on single programs, which are bounded: a
// target announces as many execs as it likes.
struct programs_unconnected {
    uint64_t notes, not_noted;
    uint64_t count;
    const char *exe;                 // of the first one; interned, NULL: unknown
    uint64_t gave_up;                // of those that connected, and had no answer in time
    const char *gave_up_exe;
    uint64_t second_libraries;       // C libraries beside the first one of a process
};

struct programs {
    const struct tasks *tasks;
    const struct counter_sets *sets;
    struct programs_unconnected *unconnected;
};

// Tells which program a process is about to exec. kind: enum elf_kind, or -errno of reading the file.
void programs_announce(const struct programs *programs, struct process *process, int kind, const char *path);

// The same for the target, whose file was read before its start: a short program is gone when its exec is known.
void programs_announce_target(struct process *process, const struct target *target);

// Handles an exec: the process now runs the announced program, if one was announced.
void programs_executed(const struct programs *programs, struct process *process);

// It maps a file as code: of a program that had ended before its file was read, the loader tells what it was.
void programs_mapped(const struct programs *programs, struct process *process, const struct mapping *mapping);

// The process ends, or runs another program next.
void programs_ended(const struct programs *programs, struct process *process);

// Counts a process that connected and went on before it was answered.
void programs_gave_up(const struct programs *programs, struct process *process);

// Notes programs that gave up, and those that never connected. library: the path they were to load, "": none. why_not:
// a remedy that is known before the run, or NULL.
void programs_finish(const struct programs *programs, const char *library, const char *why_not);

// The process runs a program that cannot have the preload library.
bool programs_is_outside(const struct process *process);

#endif
