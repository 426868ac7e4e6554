// SPDX-License-Identifier: Apache-2.0
// Threads of programs that cannot load the preload library (static ones, another C library): pinned and counted from
// here, when the kernel's record of their start arrives. That is up to supervise.c's longest wait after it; until then
// a thread runs where its creator does. And the pins show: what such a program asks about its CPUs later, or starts
// from a pinned thread, sees one CPU until we have looked. A program that starts others is a launcher (go, a musl
// shell): from its first child on, its threads have the whole mask, and so has what they start.
#ifndef PROFILER_RECORDER_TARGETS_OUTSIDE_THREADS_H
#define PROFILER_RECORDER_TARGETS_OUTSIDE_THREADS_H

#include "profiler/recorder/channel/channel_server.h"
#include "profiler/recorder/evidence/counter_sets.h"
#include "profiler/recorder/run/machine.h"
#include "profiler/recorder/targets/programs.h"

struct outside_threads {
    struct tasks *tasks;
    struct channel_server *channel;  // NULL: there is none, threads are not pinned
    struct counter_sets *sets;
    const struct machine *machine;
};

// A thread of the process began: pins and counts it, if its program cannot have the preload library.
void outside_threads_began(const struct outside_threads *outside, struct process *process, struct thread *thread);

// The first thread of a child, or of the program that a pinned process execs, gets the whole mask again.
void outside_threads_release(const struct outside_threads *outside, const struct thread *thread);

// The process runs a program now: follows the CPU time of its thread, if the program cannot have the preload library.
void outside_threads_follow(const struct process *process, struct thread *thread);

// A process outside started another one, whose first thread is child.
void outside_threads_child(const struct outside_threads *outside, struct process *parent, struct thread *child);

#endif
