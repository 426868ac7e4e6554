// SPDX-License-Identifier: Apache-2.0
// CPU time of threads that are not counted: a thread that has counters has a clock that says how long it ran meanwhile.
#ifndef COLLECTORS_PROCESSES_THREAD_TIME_H
#define COLLECTORS_PROCESSES_THREAD_TIME_H

#include "collectors/processes/tasks.h"

// CPU time of a thread since its start, in ns, as /proc shows it: up to one tick old while the thread runs. -1: it
// does not.
int64_t thread_time_shown(pid_t pid, pid_t tid);

// What the thread ran so far is not part of its time in the recording.
void thread_time_begin(struct thread *thread);

// Sets it to what /proc shows, if anything.
void thread_time_read(struct thread *thread);
void thread_time_set(struct thread *thread, int64_t ns);

// Follows the thread to its end, after which /proc does not show it: for programs that do not report the times of their
// threads.
void thread_time_follow(struct thread *thread);

// The thread has ended, or is forgotten next.
void thread_time_end(struct thread *thread);

#endif
