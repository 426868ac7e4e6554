// SPDX-License-Identifier: Apache-2.0
// A thread of ours that forks the target and otherwise sleeps. Events that are opened on it with inheritance are the
// target's from its first moment. Opened on the target itself, they would adapt to its main thread, and each new thread
// would start with that period (inherit_event in kernel/events/core.c): a short one would have no sample.
#ifndef PROFILER_LAUNCH_LAUNCH_THREAD_H
#define PROFILER_LAUNCH_LAUNCH_THREAD_H

#include <pthread.h>
#include <semaphore.h>

#include "profiler/launch/launch.h"

struct launch_request;

struct launch_thread {               // all zero: it does not run
    pthread_t thread;
    pid_t tid;
    bool runs;
    sem_t asked, done;
    struct launch_request *request;  // NULL: end
};

int launch_thread_start(struct launch_thread *thread);
void launch_thread_stop(struct launch_thread *thread);

// launch_prepare in that thread.
int launch_thread_prepare(struct launch_thread *thread, struct launch *launch, const struct target *target,
                          char **arguments, const struct launch_signals *signals, char *const *environment);

#endif
