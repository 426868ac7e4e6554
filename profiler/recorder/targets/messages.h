// SPDX-License-Identifier: Apache-2.0
// Handles the messages of the preload library: threads and their CPU slots, affinities that the program sets, exec, the
// end of a process.
#ifndef PROFILER_RECORDER_TARGETS_MESSAGES_H
#define PROFILER_RECORDER_TARGETS_MESSAGES_H

#include "collectors/pages/pages.h"
#include "profiler/recorder/evidence/windows.h"
#include "profiler/recorder/targets/connections.h"

struct messages {
    struct connections connections;  // channel NULL: there is no channel; nothing comes
    struct windows *windows;
    struct pages *pages;             // NULL: no snapshots
    struct thread_starts_arrival *arrivals; // by time; kind 0: handled; some wait until their process is known
    size_t arrival_count, arrival_room;
    struct channel_connection met[32]; // by time; some wait until what was sent before them is taken
    size_t met_count;
    bool more;                       // connections were left for the next time
    // Whoever had connected before settled_ns has been taken from the queue. looks: since marked_ns.
    uint64_t settled_ns, marked_ns;
    unsigned int looks;
    uint64_t held_ns;                // of the oldest message whose sender may still become known; UINT64_MAX: none
    uint64_t sandboxed;              // processes that forbade themselves what the library does
    uint64_t dropped;                // messages and arrivals of unknown processes that found no room
    // In one go: the end of a process, which a scan may meet first, ends its threads. The first early_count are kept:
    // the connections of their processes wait behind others, or they were sent after such a message.
    struct channel_received taken[2 * CHANNEL_MESSAGES];
    size_t early_count;
};

// Takes all messages and connections, in the order they were sent. Returns how many.
size_t messages_take(struct messages *messages);
// The time up to which the kernel's records may be drained: later ones may hold the end of a thread whose start is
// still held. At most until.
uint64_t messages_drain_until(const struct messages *messages, uint64_t until);
// True if messages wait until their process connects.
bool messages_are_held(const struct messages *messages);
// As messages_take, for the last time: also handles what waits behind connections that are refused.
void messages_take_last(struct messages *messages);

// Notes messages that found no room.
void messages_finish(const struct messages *messages);
void messages_close(struct messages *messages);

#endif
