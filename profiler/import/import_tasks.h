// SPDX-License-Identifier: Apache-2.0
// Processes and threads of a perf.data file, from its records; /proc of this machine does not know them. Only those
// with samples get a row in the recording: a file of a whole machine names thousands.
#ifndef PROFILER_IMPORT_IMPORT_TASKS_H
#define PROFILER_IMPORT_IMPORT_TASKS_H

#include "collectors/processes/tasks.h"

enum {
    IMPORT_TASKS_THREADS = 1 << 18,   // alive at one time
    IMPORT_TASKS_PROCESSES = 1 << 16,
    IMPORT_TASKS_MAPPINGS = 1 << 14,  // of one process
};

struct import_process {
    struct process process;           // its id is 0 until it has a row
    uint32_t parent_pid;              // 0: not known
    bool from_start;                  // its program was seen from its exec on
    uint64_t samples;
    int32_t threads;
};

struct import_thread {
    int64_t id;                       // 0: no row yet
    pid_t tid;
    struct import_process *process;
    uint64_t start;
    bool from_start;
    uint64_t fault_time, fault_address; // of its last page fault
    char name[16];
};

// The process with the most samples.
struct import_program {
    pid_t pid;
    const char *exe;                  // interned; NULL: not known
    uint64_t samples;
};

struct import_tasks {
    struct tasks *tasks;              // queue, epoch, paths and programs
    struct table processes, threads;  // number -> struct import_process *, struct import_thread *
    int64_t process_count, thread_count; // rows
    uint64_t refused;                 // records beyond the limits of processes, threads or mappings
    uint64_t data_mappings;           // seen so far
    uint64_t whole_pages;             // starts and sizes of mappings, by OR: no bit below the page size
    struct import_program main;       // among the processes that have ended
    // Gets each mapped file; path is interned.
    void (*see)(void *context, const struct perf_mmap *mmap, const char *path);
    void *context;
};

void import_tasks_mmap(struct import_tasks *tasks, const struct perf_mmap *mmap);
void import_tasks_comm(struct import_tasks *tasks, const struct perf_comm *comm, uint64_t time);
void import_tasks_fork(struct import_tasks *tasks, const struct perf_task *task, uint64_t time);
void import_tasks_exit(struct import_tasks *tasks, const struct perf_task *task, uint64_t time);

// The thread of a sample, with a row. NULL: out of memory or of room.
struct import_thread *import_tasks_of_sample(struct import_tasks *tasks, uint32_t pid, uint32_t tid, uint64_t time);

// The process with the most samples, among ended and running ones.
struct import_program import_tasks_main(const struct import_tasks *tasks);

// The address at which a thread has this place of a file's code, or place itself where it is an address of that code;
// 0: not known. path "": place is an address of code or nothing.
uint64_t import_tasks_address(const struct import_tasks *tasks, uint32_t tid, const char *path, uint64_t place);

void import_tasks_free(struct import_tasks *tasks);

#endif
