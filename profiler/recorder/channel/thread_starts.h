// SPDX-License-Identifier: Apache-2.0
// A thread of the recorder for messages whose sender waits. It opens the events of a starting thread and answers it.
// For all other such messages (the end of a process, marks of a region) it wakes the recorder's main thread.
#ifndef PROFILER_RECORDER_CHANNEL_THREAD_STARTS_H
#define PROFILER_RECORDER_CHANNEL_THREAD_STARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "collectors/counters/counters.h"
#include "profiler/recorder/channel/channel_server.h"

struct thread_starts_arrival {
    struct channel_received message; // CHANNEL_THREAD_START, answered already
    pid_t tid;                       // in our pid namespace
    bool was_there;                  // a thread of the sender's process: the kernel says so
    struct counter_set *counters;    // NULL: none could be opened
    bool is_late;                    // it no longer waited when they were open ...
    int64_t time_before;             // ... and had used this CPU time: counters_time_before
};

struct thread_starts {
    pthread_t thread;
    struct channel_server *server;
    struct counters *counters;
    int wake;                        // eventfd for the recorder's thread
    _Atomic bool stop;
    bool runs, is_open;
    pthread_mutex_t mutex;           // for what follows
    struct table processes;          // number on the channel -> pid, negative if its thread numbers are not ours
    struct thread_starts_arrival *arrivals, *taken;
    size_t count, size, taken_size;
};

// All functions do nothing if the thread does not run.

// counters: what to open for a thread that starts.
int thread_starts_start(struct thread_starts *starts, struct channel_server *server, struct counters *counters);
void thread_starts_stop(struct thread_starts *starts); // answers nobody any more; what arrived can still be taken
void thread_starts_close(struct thread_starts *starts);

// Tells the pid of a process that connected. is_elsewhere: it is in another pid namespace, where thread ids differ.
void thread_starts_register(struct thread_starts *starts, uint64_t process, pid_t pid, bool is_elsewhere);

// Takes note of a wake-up.
void thread_starts_awake(const struct thread_starts *starts);

// Returns the arrivals since the last call, the oldest first. They stay valid until the next call.
size_t thread_starts_take(struct thread_starts *starts, const struct thread_starts_arrival **arrivals);

#endif
