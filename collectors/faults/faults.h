// SPDX-License-Identifier: Apache-2.0
// Page faults as evidence: who touched which page first, from which line; where automatic balancing runs, its hint faults
// show who uses it later. Needs no PMU. The same rings report mappings, forks, names and exits.
//
// Two events watch the same faults: one takes every fault, and is switched off while faults come in masses (a fault costs
// more to record than to handle); the other always takes some, at a rate (attr.freq). The kernel adapts its period for each
// thread and CPU from the first fault on, and tells it with each sample: a thread of ten faults has samples too, and their
// weights add up to the faults. (With a fixed period of 97, threads of fewer faults had none.)
#ifndef COLLECTORS_FAULTS_FAULTS_H
#define COLLECTORS_FAULTS_FAULTS_H

#include "collectors/faults/faults_kind.h"
#include "collectors/heap/objects.h"
#include "collectors/perf/perf_event.h"
#include "collectors/perf/perf_streams.h"
#include "collectors/processes/tasks.h"
#include "collectors/samples/samples.h"
#include "core/recording/recording_queue.h"

enum {
    FAULTS_PER_MS = 10,            // recorded of one CPU while faults come in masses: at 2 us each, 2 % of its time
    FAULTS_STACK_EVERY = 2048,     // bytes of stack with every fault: enough to leave libc and the allocator
    FAULTS_STACK_SOME = 8192,      // with those of the other event
    FAULTS_OF_MACHINE_PER_S = 2000, // of one CPU, where all processes share its ring
    FAULTS_RING_LEAST_PAGES = 4,   // a smaller ring would not hold a burst
    FAULTS_PENDING = 4096,         // faults that wait for a look at their pages
};

// Both events of one more task.
struct faults_events {
    int fd_every, fd_some;
};

// One ring: a CPU's with inherited events (of a task and all it starts, or of several tasks), or one thread's.
struct faults_source {
    struct perf_stream stream;
    struct faults *faults;
    int cpu;
    int fd_every, fd_some;
    uint64_t id_some;
    struct faults_events *more;    // of the tasks that faults_add added
    size_t more_count, more_size;
    struct table more_some;        // ids of their fd_some
    bool is_downsampled;           // fd_every is off
    uint64_t window_start;         // since when window_faults came
    int64_t window_faults;
    int64_t credit;                // how many faults may be recorded before they are downsampled
    struct perf_sample last;       // its pointers have gone stale
    size_t last_pending;           // and where it waits, if it does
    struct table periods;          // event of a thread (stream) -> period of its last sample, twice
    uint64_t counted;              // faults counted so far, from fd_some
};

struct faults_pending {
    uint64_t time, address, weight, was_mapped_bytes;
    int64_t thread, stack;
    struct objects_found found;     // at the address, then
    struct process *process;       // NULL: classified
    uint64_t held_at_drain;        // waits for a later drain than this; 0: not
    int32_t cpu;
};

struct faults {
    struct tasks *tasks;
    struct samples *samples;
    struct objects *objects;
    int64_t event;                 // its id in the recording
    bool exclude_kernel;           // unprivileged: first touches inside system calls are not seen
    bool tells_mapped;
    bool of_machine;               // every process's faults come: fewer of them, with less of their stacks
    bool balancing;
    bool huge_pages;               // a fault may bring 2 MiB
    uint64_t page_bytes;
    int sources;                   // how many there will be: they share what may be recorded
    const struct perf_streams *streams; // tells which drain of the rings was the last
    bool hurry;                    // classify everything: no fault is held
    uint64_t classifications;
    uint64_t sampled_weight;       // faults that samples stand for
    struct table shared_history;   // inode and offset of shared pages that were placed
    struct faults_classify_batch *batch;    // working memory of faults_classify
    size_t pending_count;
    struct faults_pending pending[FAULTS_PENDING];
};

// Call once, with tasks, samples, objects, streams, event, balancing, huge_pages and page_bytes set.
int faults_prepare(struct faults *faults);
void faults_free(struct faults *faults);

// Which events of a task: with everything that it will start (cpu must be a CPU), or alone (cpu -1). on_exec: they begin at
// its exec, else at once.
struct faults_task {
    pid_t tid;
    int cpu;
    bool inherit, on_exec;
};

// Opens both events. Tries first with kernel faults, then without, then without what older kernels lack, and remembers in
// faults what worked.
int faults_open(struct faults *faults, struct faults_source *source, struct faults_task task, size_t ring_pages);

// The same for one more task on the CPU of the source: its records go to the same ring.
int faults_add(struct faults_source *source, struct faults_task task);
void faults_close(struct faults_source *source);

// A sample of this source, whose call stack is known already.
void faults_take(struct faults_source *source, const struct perf_sample *sample, struct thread *thread, int64_t stack);

// Whether the sample repeats one that the other event gave.
bool faults_is_double(struct faults_source *source, const struct perf_sample *sample);

// Looks where the pages of the pending faults are, says what each fault was, and records them. Must be called before a
// process is forgotten, with it as ending (else NULL).
void faults_classify(struct faults *faults, struct process *ending);

// faults_downsample.c: every fault, or some? faults_adapt: call after each drain; now: CLOCK_MONOTONIC.
void faults_downsample_begin(struct faults_source *source);
void faults_downsample_count(struct faults_source *source, uint64_t weight);
void faults_downsample_lost(struct faults_source *source);
void faults_adapt(struct faults_source *source, uint64_t now);

// Reads how many faults of all its tasks there were, however many were sampled.
int faults_count(struct faults_source *source);

#endif
