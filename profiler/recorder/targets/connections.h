// SPDX-License-Identifier: Apache-2.0
// Accepts the connections of processes with the preload library: sends each the channel and adds it to the tasks.
#ifndef PROFILER_RECORDER_TARGETS_CONNECTIONS_H
#define PROFILER_RECORDER_TARGETS_CONNECTIONS_H

#include "profiler/recorder/channel/channel_server.h"
#include "profiler/recorder/channel/thread_starts.h"
#include "profiler/recorder/targets/targets.h"

struct connections {
    struct channel_server *channel;
    struct thread_starts *starts;
    struct perf_streams *streams;
    const struct targets *targets;
};

// Takes connections, at most max of them. Returns how many. *more: there may be others: max, or a crowd that was
// refused, or a lack of descriptors kept it from taking them.
size_t connections_accept(const struct connections *connections, struct channel_connection *taken, size_t max,
                          bool *more);

// Registers the process that connected, and answers it.
void connections_register(const struct connections *connections, struct channel_connection *connection);
// Closes it unanswered.
void connections_refuse(const struct channel_connection *connection);

#endif
