// SPDX-License-Identifier: Apache-2.0
// Where the memory of a process is: snapshots of the homes of its touched pages, at growing intervals and before it ends.
#ifndef COLLECTORS_PAGES_H
#define COLLECTORS_PAGES_H

#include "collectors/tasks.h"

struct pages {
    struct record_queue *queue;
    struct tasks *tasks;
    uint64_t page_bytes;
    bool sees_touches;       // faults are recorded: only mappings that were touched are worth a look
    int64_t snapshots;       // of the recording, given out so far
    bool worked;             // at least one page was found
    int error;               // why none was: -errno of the last try
};

// Asks about the pages of the process and records what is where. cause: a word of snapshot.cause. Large processes are
// asked about every n-th page, and the snapshot says so.
void pages_snapshot(struct pages *pages, struct process *process, uint64_t now, const char *cause);

// Takes the snapshots that are due: soon after the first touch, then at doubling intervals while more is touched (or,
// with balancing, while pages may move).
void pages_tick(struct pages *pages, uint64_t now, bool pages_move);

#endif
