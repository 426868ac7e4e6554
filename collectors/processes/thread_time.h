// SPDX-License-Identifier: Apache-2.0
// CPU time of threads without counters (the others have a clock among their events), and how long threads waited for a
// CPU.
#ifndef COLLECTORS_PROCESSES_THREAD_TIME_H
#define COLLECTORS_PROCESSES_THREAD_TIME_H

#include "collectors/processes/tasks.h"

// CPU time of a thread since its start, in ns, from /proc: up to one tick old while the thread runs. -1: unknown.
int64_t thread_time_shown(pid_t pid, pid_t tid);

// Leaves the CPU time, and the time of waiting for a CPU, up to now out of the recording.
void thread_time_begin(struct thread *thread);

// Sets the thread's CPU time from /proc, if it is known there, or to ns. The former reads its time of waiting too.
void thread_time_read(struct thread *thread);
void thread_time_set(struct thread *thread, int64_t ns);

// Opens an event that counts the thread's CPU time to its end, after which /proc does not show it. For programs without
// the preload library, which reports that time.
void thread_time_follow(struct thread *thread);

// Reads that event and closes it. Call it when the thread has ended, or before it is removed.
void thread_time_end(struct thread *thread);

#endif
