// SPDX-License-Identifier: Apache-2.0
// The processes and threads of the target, and their numbers in the recording. One thread of the recorder owns this.
#ifndef COLLECTORS_PROCESSES_TASKS_H
#define COLLECTORS_PROCESSES_TASKS_H

#include <sys/types.h>

#include "collectors/processes/address_space.h"
#include "collectors/processes/live_allocations.h"
#include "collectors/protocol/channel.h"
#include "core/recording/recording_queue.h"
#include "core/util/table.h"

struct counter_set;
struct allocation_stream;

struct process {
    int64_t id;                      // in the recording
    pid_t pid;
    pid_t shown;                     // for move_pages and /proc: another thread once the main one has ended
    uint64_t start;                  // when it was first known, CLOCK_MONOTONIC
    uint64_t channel;                // its number on the channel, 0: it never had the preload library
    pid_t inner_pid;                 // as it calls itself
    const char *exe;                 // interned; NULL: unknown
    bool has_library;                // of ours, in the program that runs there now
    bool awaits_library;             // it runs a program that can load it, and has not connected since
    bool kind_unread;                // it had ended before what it is could be read
    int exec_kind;                   // of that program: enum elf_kind, or -errno; 0: not known
    int announced_kind;              // of the one it is about to run
    char exec_path[CHANNEL_TEXT];    // and the end of its path
    struct address_space space;
    struct table fault_history;      // page -> enum faults_state; see faults.h
    struct table fault_windows;      // 2 MiB window -> faults_window.h
    struct table fault_regions;      // 32 MiB region -> its first touches
    bool other_namespace;            // its thread numbers on the channel are not ours
    bool forgets;                    // fault_history is full: unseen pages may have been touched before
    bool starts_others;              // its threads are no longer pinned from outside
    bool is_attached;                // its memory holds pages that were placed before the recorder came
    bool forked, has_forked;         // shares pages copy-on-write with its parent or a child
    struct live_allocations heap;         // blocks of its allocators, and variables of threads: objects.h
    struct live_allocations mapped;       // what it maps itself; allocators may have cut it into blocks of the heap
    struct allocation_stream *allocations; // ring of its allocations; NULL: none
    uint64_t classified_in;             // faults_classify's own mark
    uint64_t maps_read_at;           // where nobody tells of mappings: when they were read last
    int threads;                     // alive and known
    uint64_t touched_at;             // time of the last first touch, for the snapshots of pages
    uint64_t snapshot_at;            // time of the last snapshot
    bool had_last_look;              // a snapshot was taken at its end
    uint64_t lost;                   // as in struct tasks, when /proc was asked last what it runs
};

struct thread {
    int64_t id;                      // in the recording
    pid_t tid, inner_tid;            // inner: by its own pid namespace, 0: not known
    struct process *process;
    enum channel_pin pin;
    int planned_cpu;                 // -1: none
    int born_on;                     // pinned from outside: the CPU of its own or its creator's latest pin; -1: none
    uint64_t seen;                   // when it was added, CLOCK_MONOTONIC
    int missing;                     // scans in a row that did not find it
    bool left_slot;                 // gave its CPU slot back itself
    char name[16];                   // comm (TASK_COMM_LEN)
    uint64_t cpu_ns, migrations;     // as last read; migrations since it was pinned
    uint64_t migrations_before;      // until then
    bool knows_cpu_ns, knows_migrations;
    uint64_t cpu_ns_at;              // when it was read, CLOCK_MONOTONIC
    uint64_t cpu_ns_before;          // what it ran before the recorder came, which is not counted
    uint64_t waited_ns, ran_ns;      // for a CPU, and on one, as last read from /proc ...
    uint64_t waited_ns_before, ran_ns_before; // ... and when the recorder came
    int clock;                       // event that counts its time to its end: thread_time.h; 0: none
    int64_t clock_start;             // its CPU time when that was opened
    struct counter_set *counters;    // NULL: none ...
    bool counters_refused;           // ... and not to be asked for again
};

struct tasks {
    struct recording_queue *queue;
    uint64_t epoch;                  // CLOCK_MONOTONIC at the start of the run
    bool has_kernel_records;         // the kernel reports every fork, exec, mapping and end of a descendant ...
    uint64_t lost;                   // ... but for so many of its records so far
    struct intern *paths;
    struct table programs;           // interned paths of the executables that ran
    struct table processes;          // pid -> struct process *
    struct table threads;            // tid -> struct thread *
    int64_t process_count, thread_count;
};

// NULL: not known. channel: the number of the process in its messages.
struct process *tasks_process(const struct tasks *tasks, pid_t pid);
struct process *tasks_process_of_channel(const struct tasks *tasks, uint64_t channel);
struct thread *tasks_thread(const struct tasks *tasks, pid_t tid);

// Returns the process, which is added if it is not known yet. time: CLOCK_MONOTONIC, ns. followed: a word of
// process.followed in the schema. NULL: out of memory.
struct process *tasks_add_process(struct tasks *tasks, pid_t pid, struct process *parent, uint64_t time,
                                  const char *followed);
// The same for a thread. It has its creator's name; creator NULL: its name is read from /proc, where a thread that has
// ended is not found.
struct thread *tasks_add_thread(struct tasks *tasks, struct process *process, pid_t tid, uint64_t time, bool from_start,
                                const struct thread *creator);

void tasks_read_name(struct tasks *tasks, struct thread *thread); // from /proc
void tasks_set_name(struct tasks *tasks, struct thread *thread, const char *name);
void tasks_set_pin(struct tasks *tasks, struct thread *thread, enum channel_pin pin, int planned_cpu,
                   const char *own_cpus);

// Marks a thread that ran before the recorder knew it (thread.from_start 0).
void tasks_mark_late(struct tasks *tasks, const struct thread *thread);

// Sets the program that the process runs. path NULL: it is read from /proc; the old one stays if the process is gone.
void tasks_set_exe(struct tasks *tasks, struct process *process, const char *path);

// Whether /proc names another program than the one that is known. It costs a system call.
bool tasks_runs_another(struct tasks *tasks, const struct process *process);

// The process ran exec: its address space is new.
void tasks_exec(struct tasks *tasks, struct process *process);

// time 0: when it ended was not seen. A process ends with its last thread.
void tasks_end_thread(struct tasks *tasks, struct thread *thread, uint64_t time);

// Ends all threads and processes, at an unknown time.
void tasks_end_all(struct tasks *tasks);
// Frees all, also the interned paths, which mappings and call stacks point to.
void tasks_free(struct tasks *tasks);

// From CLOCK_MONOTONIC to ns since the start of the run; 0 for a time before it.
static inline int64_t tasks_time(const struct tasks *tasks, uint64_t time)
{
    return time > tasks->epoch ? (int64_t)(time - tasks->epoch) : 0;
}

#endif
