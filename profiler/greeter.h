// SPDX-License-Identifier: Apache-2.0
// A thread that waits for messages whose sender waits: it opens the events of a starting thread and lets it go; for the
// others (the end of a process, marks) it wakes the session's thread.
#ifndef PROFILER_GREETER_H
#define PROFILER_GREETER_H

#include <pthread.h>
#include <stdatomic.h>

#include "collectors/counters.h"
#include "profiler/channel_server.h"

struct greeter_arrival {
    struct channel_received message; // CHANNEL_THREAD_START, answered already
    pid_t tid;                       // in our pid namespace
    bool was_there;                  // a thread of the sender's process: the kernel says so
    struct counter_set *counters;    // NULL: none could be opened
};

struct greeter {
    pthread_t thread;
    struct channel_server *server;
    struct counters *counters;
    int wake;                        // eventfd for the session's thread
    _Atomic bool stop;
    bool runs;
    pthread_mutex_t mutex;           // for what follows
    struct table processes;          // number on the channel -> pid, negative if its thread numbers are not ours
    struct greeter_arrival *arrivals;
    size_t taken, count, size;       // the first of them were taken
};

// counters: what to open for a thread that starts.
int greeter_start(struct greeter *greeter, struct channel_server *server, struct counters *counters);
void greeter_stop(struct greeter *greeter);

// is_elsewhere: its threads have other numbers in its own pid namespace.
void greeter_introduce(struct greeter *greeter, uint64_t process, pid_t pid, bool is_elsewhere);

// Takes note of a wake-up.
void greeter_awake(const struct greeter *greeter);

// The oldest arrival that was not taken yet; false: none.
bool greeter_take(struct greeter *greeter, struct greeter_arrival *arrival);

#endif
