// SPDX-License-Identifier: Apache-2.0
// Where the memory of a process is: snapshots of the nodes of its touched pages, at growing intervals and before it
// ends. Asking about many pages takes milliseconds, in which nobody would read the rings: a thread of its own does it,
// except for the last snapshot, which the ending process waits for.
#ifndef COLLECTORS_PAGES_PAGES_H
#define COLLECTORS_PAGES_PAGES_H

#include <pthread.h>
#include <stdatomic.h>

#include "collectors/processes/tasks.h"

struct pages_job;

struct pages {
    struct recording_queue *queue;
    struct tasks *tasks;
    uint64_t page_bytes;
    bool sees_touches;       // faults are recorded: only mappings that were touched are worth a look
    bool only_move_pages;    // numa_maps is not read: that would stop the process for long
    bool only_counts;        // move_pages is forbidden: numa_maps tells how many pages are where
    int64_t snapshots;       // of the recording, given out so far
    uint64_t unseen_pages;   // of private memory that processes had at their end, and no fault was seen to place
    bool unseen_early;       // some of them as of the last snapshot of a process that ended without one
    _Atomic bool worked;     // at least one page was found
    _Atomic int error;       // why none was: -errno of the last try

    pthread_t thread;
    bool runs;
    pthread_mutex_t mutex;   // for what follows
    pthread_cond_t changed;
    struct pages_job *job;   // under way or to be done; NULL: none
    struct table looks;      // process -> struct pages_job *: its last snapshot
    bool stop;
};

// Starts the thread; queue, tasks, page_bytes, sees_touches are set.
int pages_start(struct pages *pages);
void pages_stop(struct pages *pages);

// Asks about the pages of the process and records what is where. cause: a word of snapshot.cause. Large processes are
// asked about every n-th page, and the snapshot says so. "exit": also counts pages that no fault was seen to place.
void pages_snapshot(struct pages *pages, struct process *process, uint64_t now, const char *cause);

// The process has ended, and its faults are classified: where the preload library did not ask for a last snapshot
// (static and killed programs), the one before it counts. pages_forget: its memory is another program's from now on.
void pages_ended(struct pages *pages, const struct process *process);
void pages_forget(struct pages *pages, const struct process *process);
void pages_free(struct pages *pages); // after pages_stop

// Gives the thread a snapshot that is due: soon after the first touch, then at doubling intervals while more is touched
// (or, with balancing, while pages may move).
void pages_tick(struct pages *pages, uint64_t now, bool pages_move);

#endif
