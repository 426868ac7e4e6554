// SPDX-License-Identifier: Apache-2.0
// The kernel's records of the target, from one ring for each CPU: page faults, and the processes, threads, names and
// mappings that come and go.
#ifndef PROFILER_RECORDER_TARGETS_KERNEL_RECORDS_H
#define PROFILER_RECORDER_TARGETS_KERNEL_RECORDS_H

#include "profiler/recorder/targets/targets.h"

struct kernel_records {
    const struct targets *targets;   // down to samples: set by the caller
    const struct topology *topology;
    struct tasks *tasks;
    struct perf_streams *streams;
    struct losses *losses;
    struct refusals *refusals;
    struct samples *samples;
    int ranks;                       // of a job on this host, which share the memory for rings; not above 1: alone

    struct faults faults;
    struct faults_source *sources;   // one for each CPU
    size_t count;
    int error;                       // why there are none; -ECANCELED: they were not asked for
};

// Rings that share memory and bursts of page faults. Each of the ranks of a host may use allowed of the host's cpus.
size_t kernel_records_rings(size_t cpus, size_t allowed, int ranks);
// Pages of one of them: a power of two, as the kernel requires.
size_t kernel_records_ring_pages(uint64_t page_bytes, size_t rings);

// Opens the rings for all that the thread tid will fork, each from its exec on. If it fails, error is -errno.
void kernel_records_open(struct kernel_records *records, pid_t tid, bool without_faults);

// The same for a running thread and all that it will start, from now on. tid -1: for all processes of the machine.
void kernel_records_open_running(struct kernel_records *records, pid_t tid);

// Adds one more such thread to the rings. 0 or -errno.
int kernel_records_add(struct kernel_records *records, pid_t tid);
void kernel_records_close(struct kernel_records *records);

// The handler of the rings: stream is the first member of a struct faults_source, its owner the struct kernel_records.
void kernel_records_handle(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time);

// Switches each ring between every fault and a sample of them. now: CLOCK_MONOTONIC, ns.
void kernel_records_tick(struct kernel_records *records, uint64_t now);

// Calls watch with the descriptor of each ring, until it fails. Returns 0 or its error.
typedef int kernel_records_watch_fd(void *context, int fd);
int kernel_records_watch(const struct kernel_records *records, kernel_records_watch_fd *watch, void *context);

// Counts the lost records that no record told. Once, after the last drain.
void kernel_records_count_lost(struct kernel_records *records);

void kernel_records_write_evidence(struct kernel_records *records);

// Number of faults that were counted and that no sample stands for.
uint64_t kernel_records_missed(struct kernel_records *records);

// Notes how many faults there were and how many the samples stand for.
void kernel_records_finish(struct kernel_records *records);

#endif
