// SPDX-License-Identifier: Apache-2.0
// CPU time of threads that are not counted: a thread that has counters has a clock that says how long it ran meanwhile.
#ifndef COLLECTORS_PROCESSES_THREAD_TIME_H
#define COLLECTORS_PROCESSES_THREAD_TIME_H

#include "collectors/processes/tasks.h"

// What the thread ran so far is not part of its time in the recording.
void thread_time_begin(struct thread *thread);

// Sets it to what /proc shows. False: the thread is not in /proc.
bool thread_time_read(struct thread *thread);
void thread_time_set(struct thread *thread, int64_t ns);

// Follows the thread to its end, after which /proc does not show it: for programs that do not report the times of their
// threads.
void thread_time_follow(struct thread *thread);

// The thread has ended, or is forgotten next.
void thread_time_end(struct thread *thread);

#endif
