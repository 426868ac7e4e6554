// SPDX-License-Identifier: Apache-2.0
// Large allocations, as the preload library reports them: they become objects, by the call stack that asked.
#ifndef PROFILER_RECORDER_EVIDENCE_ALLOCATIONS_H
#define PROFILER_RECORDER_EVIDENCE_ALLOCATIONS_H

#include "collectors/heap/objects.h"
#include "collectors/perf/perf_streams.h"
#include "core/process/elf_kind.h"
#include "profiler/recorder/evidence/losses.h"
#include "profiler/recorder/evidence/stack_walk.h"
#include "profiler/symbols/variables.h"

struct allocations {
    struct tasks *tasks;             // the first four: set by the caller
    struct perf_streams *streams;
    struct losses *losses;
    struct stack_walk *walk;

    struct objects objects;
    struct variables *variables;
    uint64_t page_bytes;
    struct table moving;             // threads that are in mremap(2) of what is no mapping of data
    uint64_t lost;                   // allocations and frees that found no room in a ring
    int64_t own_allocators;          // processes that bring their own malloc
};

// -ENOMEM. allocations_close frees it in both cases; no process may have a ring then (allocations_close_rings).
int allocations_open(struct allocations *allocations);
void allocations_close(struct allocations *allocations);

// There is a recording now: tasks has its queue.
void allocations_attach(struct allocations *allocations);

// Reads the ring of fd, which a process sent. Replaces its earlier ring.
void allocations_open_ring(struct allocations *allocations, struct process *process, int fd);

// Ends the ring of a process after the next drain, if the process has one.
void allocations_close_ring(struct allocations *allocations, struct process *process);

// The affinity mask that the process inherited, by its own word; false: not known.
bool allocations_process_mask(const struct process *process, struct cpulist *mask);

// What is allocated and freed from now on is unknown: the process goes on unseen.
void allocations_forget(struct allocations *allocations, struct process *process, uint64_t time);

// Closes the rings of all processes. Not during a drain.
void allocations_close_rings(struct allocations *allocations);

// Notes what could not be seen. kind: of the target. has_channel: the preload library can send.
void allocations_finish(const struct allocations *allocations, enum elf_kind kind, bool has_channel);

#endif
