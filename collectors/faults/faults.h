// SPDX-License-Identifier: Apache-2.0
// Page faults as evidence: which thread first touched which page, at which line. If automatic balancing runs, its hint
// faults show which threads use the page later. Needs no PMU. The same rings report mappings, forks, names and exits.
//
// Two events count the same faults. One records every fault, and is switched off while faults come in masses, because
// a fault costs more to record than to handle. The other samples faults at a rate (attr.freq). The kernel adapts its
// period for each thread and CPU from the first fault on, and stores it in each sample. So a thread with ten faults
// has samples too, and their weights add up to the faults. (With a fixed period of 97, threads with fewer faults had
// none.) But a new thread inherits the period of the thread that started it: after a long one, short threads have no
// samples. Faults that the event counted without a sample are added to the weights of the next samples on that CPU.
#ifndef COLLECTORS_FAULTS_FAULTS_H
#define COLLECTORS_FAULTS_FAULTS_H

#include "collectors/faults/faults_downsample.h"
#include "collectors/faults/faults_kind.h"
#include "collectors/heap/objects.h"
#include "collectors/perf/perf_event.h"
#include "collectors/perf/perf_streams.h"
#include "collectors/processes/tasks.h"
#include "collectors/samples/samples.h"
#include "core/recording/recording_queue.h"

enum {
    FAULTS_STACK_EVERY = 2048,     // bytes of stack with every fault: enough to leave libc and the allocator
    FAULTS_STACK_SOME = 8192,      // with those of the other event
    FAULTS_OF_MACHINE_PER_S = 2000, // on one CPU, if all processes share its ring
    FAULTS_RING_LEAST_PAGES = 4,   // a smaller ring would not hold a burst
    FAULTS_PENDING = 4096,         // faults that wait for the state of their page
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
    struct faults_downsample downsample;
    bool is_off;                   // fd_every is
    struct perf_sample last;       // the last sample; its pointers are stale
    size_t last_pending;           // its index in faults.pending, if it still waits
    struct table periods;          // event of a thread (stream) -> period of its last sample, twice
    uint64_t counted;              // faults counted so far, from fd_some
    uint64_t lost;                 // records that the ring's records say are lost
};

struct faults_pending {
    uint64_t time, address, weight, was_mapped_bytes;
    uint64_t own_weight;           // without faults that came before, perhaps elsewhere, and have no sample
    int64_t thread, stack;
    struct objects_found found;     // at the address when the fault was handled
    struct process *process;       // NULL: classified
    uint64_t held_at_drain;        // waits for a later drain than this; 0: does not wait
    bool is_first;                 // of its 2 MiB
    int32_t cpu;
};

struct faults {
    struct tasks *tasks;
    struct samples *samples;
    struct objects *objects;
    const struct topology *topology;
    int64_t event;                 // its id in the recording
    bool exclude_kernel;           // unprivileged: first touches inside system calls are not seen
    bool tells_mapped;
    bool tells_lost;               // the kernel counts what it had no room for: Linux 6.0
    bool of_machine;               // faults of all processes: fewer samples, with less of their stacks
    bool balancing;
    bool huge_pages;               // a fault may bring 2 MiB
    uint64_t page_bytes;
    int sources;                   // number of sources, of all ranks of the host, which share one burst
    const struct perf_streams *streams; // for the number of the last drain
    bool hurry;                    // classify everything: no fault is held
    uint64_t classifications;
    uint64_t sampled_weight;       // faults that samples stand for
    struct table shared_history;   // device, inode and offset of shared pages that were placed
    struct faults_classify_batch *batch;    // working memory of faults_classify
    size_t pending_count;
    struct faults_pending pending[FAULTS_PENDING];
};

// Call once, with tasks, samples, objects, topology, streams, event, balancing, huge_pages and page_bytes set.
int faults_prepare(struct faults *faults);
void faults_free(struct faults *faults);

// A task to open events on. inherit: also on everything it starts (cpu must be a CPU); else cpu may be -1. on_exec:
// events start at its exec, else at once.
struct faults_task {
    pid_t tid;
    int cpu;
    bool inherit, on_exec;
};

// Opens both events. Tries with kernel faults, then without, then without fields that older kernels lack; stores in
// faults what worked.
int faults_open(struct faults *faults, struct faults_source *source, struct faults_task task, size_t ring_pages);

// Opens both events of one more task on the CPU of the source: its records go to the same ring.
int faults_add(struct faults_source *source, struct faults_task task);
void faults_close(struct faults_source *source);

// Takes a sample of this source. stack: id of its call stack.
void faults_take(struct faults_source *source, const struct perf_sample *sample, struct thread *thread, int64_t stack);

// True if the other event already reported the same fault.
bool faults_is_double(struct faults_source *source, const struct perf_sample *sample);

// Asks for the nodes of the pending faults' pages, classifies each fault and writes its row. ending: a process that is
// about to be removed, or NULL.
void faults_classify(struct faults *faults, struct process *ending);

// Records every fault, or a sample of them, as fast as they come. Call it after each drain; now: CLOCK_MONOTONIC.
void faults_adapt(struct faults_source *source, uint64_t now);
// The ring lost so many records: from now on, only a sample of the faults is recorded.
void faults_lost(struct faults_source *source, uint64_t records);

// Reads the number of faults of all tasks of the source, sampled or not.
int faults_count(struct faults_source *source);

// Lost records that no record of the ring told: it tells them with the next that has room, and there may be no next.
uint64_t faults_lost_untold(const struct faults_source *source);

#endif
