// SPDX-License-Identifier: Apache-2.0
// A thread that waits for messages whose sender waits: a starting thread is answered here, at once; for the others (the
// end of a process, marks) it wakes the session's thread.
#ifndef PROFILER_GREETER_H
#define PROFILER_GREETER_H

#include <pthread.h>
#include <stdatomic.h>

#include "profiler/channel_server.h"

struct greeter {
    pthread_t thread;
    struct channel_server *server;
    int wake;                    // eventfd for the session's thread
    _Atomic bool stop;
    bool runs;
};

int greeter_start(struct greeter *greeter, struct channel_server *server);
// Takes note of a wake-up.
void greeter_awake(const struct greeter *greeter);
void greeter_stop(struct greeter *greeter);

#endif
