// SPDX-License-Identifier: Apache-2.0
// What the preload library sends: threads and their CPU slots, choices of the program, the end of a process.
#ifndef PROFILER_RECORDER_TARGETS_MESSAGES_H
#define PROFILER_RECORDER_TARGETS_MESSAGES_H

#include "collectors/pages/pages.h"
#include "profiler/recorder/evidence/windows.h"
#include "profiler/recorder/targets/connections.h"

struct messages {
    struct connections connections;  // channel NULL: there is no channel; nothing comes
    struct windows *windows;
    struct pages *pages;             // NULL: no snapshots
    struct channel_received early[64]; // of processes whose connection waits behind refused ones
    size_t early_count;
    struct channel_received taken[256]; // in one go
};

// Takes all messages and connections, in the order they were sent. Returns how many.
size_t messages_take(struct messages *messages);

// Notes messages that found no room.
void messages_finish(const struct messages *messages);

#endif
