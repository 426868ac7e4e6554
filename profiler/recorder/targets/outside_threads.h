// SPDX-License-Identifier: Apache-2.0
// Pins and counts the threads of programs that cannot load the preload library (static ones, another C library) when
// the kernel's record of their start arrives: up to the longest wait of supervise.c after the start. Until then a
// thread runs on its creator's CPU. Such a program sees the pins: a pinned thread, or a child of one, finds one CPU in
// its mask until the recorder has handled the record. A program that starts others is a launcher (go, a musl shell):
// from its first child on, its threads and their children have the whole mask.
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

// Pins and counts a new thread if its program cannot load the preload library.
void outside_threads_began(const struct outside_threads *outside, struct process *process, struct thread *thread);

// Gives the whole mask back to the first thread of a child, or of a program that a pinned process has started by exec.
void outside_threads_release(const struct outside_threads *outside, const struct thread *thread);

// After an exec: follows the CPU time of the thread if the program cannot load the preload library.
void outside_threads_follow(const struct process *process, struct thread *thread);

// Handles the fork of a process without the preload library. child: first thread of the new process.
void outside_threads_child(const struct outside_threads *outside, struct process *parent, struct thread *child);

#endif
