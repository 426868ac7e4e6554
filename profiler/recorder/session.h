// SPDX-License-Identifier: Apache-2.0
// One run being recorded: the target's processes, the collectors that watch it, and the recording they fill. One thread
// (the one that opened it) drives it; the greeter and the recording's writer have threads of their own.
#ifndef PROFILER_RECORDER_SESSION_H
#define PROFILER_RECORDER_SESSION_H

#include "collectors/counters/counters.h"
#include "collectors/faults/faults.h"
#include "collectors/pages/pages.h"
#include "collectors/perf/perf_context.h"
#include "collectors/perf/perf_explain.h"
#include "collectors/samples/call_stacks.h"
#include "core/topology/topology.h"
#include "profiler/commands/run_options.h"
#include "profiler/launch/control.h"
#include "profiler/launch/file_limit.h"
#include "profiler/launch/target.h"
#include "profiler/recorder/channel_server.h"
#include "profiler/recorder/thread_starts.h"
#include "profiler/symbols/program_files.h"
#include "profiler/symbols/unwind.h"
#include "profiler/symbols/variables.h"

struct session_losses {
    uint64_t records, samples;       // the kernel had no room for
    uint64_t throttled;
    uint64_t unknown_threads;        // samples of threads that are not known
    uint64_t malformed;
    uint64_t blocks;                 // large blocks that there was no room to tell of
};

struct session {
    const struct run_options *options;
    const struct target *target;
    struct topology topology;
    int pin_order[CPULIST_MAX];      // CPUs in the order threads take them
    size_t slot_count;
    const char *uarch;               // the catalogue's name of the CPU, or NULL
    const char *emulated;            // name of the emulated machine, or NULL
    char emulated_name[64];
    struct rlimit files_before;      // ours
    int nice_before;                 // ours
    pid_t pid;                       // of the target
    uint64_t epoch;                  // its start
    time_t started;                  // of the session, by the clock that files have

    struct recording_queue *queue;
    struct tasks tasks;
    struct call_stacks stacks;
    struct samples samples;
    struct objects objects;
    struct block_stream *closing_blocks; // of processes that ended: closed after the drain
    int64_t own_allocators;          // processes that bring their own malloc
    struct perf_context perf;        // of this machine, once a refusal had to be explained
    bool knows_perf;
    char preload_path[PATH_MAX];     // of the library that the target loads; "": none
    struct program_files *files;             // that the target runs
    struct unwind *unwind;
    struct variables *variables;
    struct channel_server channel;
    struct channel_received early[64]; // messages of processes whose connection waits behind strangers'
    size_t early_count;
    int repeat;
    int channel_error;               // why has_channel is false
    bool has_channel;                // threads are seen at their start and pinned
    struct thread_starts greeter;

    struct perf_stream **streams;
    size_t stream_count, streams_size;

    struct faults faults;
    struct faults_source *fault_sources; // one for each CPU
    size_t fault_source_count;
    int faults_error;                // why there are none

    struct loads loads;
    struct counters counters;
    struct counter_set **cpu_sets;   // of CPUs: of a program whose threads cannot be counted one by one, and of loads that
    size_t cpu_set_count;            // can be sampled by CPU only
    bool counts_cpus;                // the former are among them
    struct counter_set **closing;    // of threads that ended: closed after the drain
    size_t closing_count, closing_size;
    uint64_t interval_ns;            // of the time line, now
    uint64_t read_at;                // when the counters were read last
    uint64_t rows_at_widening;       // counters.rows when interval_ns was doubled last
    bool counters_on;                // at least one group can be counted
    bool counting;                   // not paused
    bool delay_is_over;
    struct control control;

    struct pages pages;
    struct table strangers;          // threads in /proc that were not known at the last scan
    uint64_t scanned_at;             // when the tasks were last checked against /proc
    int64_t balancing_moved_before;  // pages, RECORDING_NULL: unknown
    struct session_losses losses;
};

// session_open.c: its beginning and its end. NULL: out of memory. session_close frees it.
struct session *session_new(const struct run_options *options, const struct target *target, int repeat);

// Reads the machine and makes the plan. Prints what is wrong and returns an exit status, or 0.
int session_open(struct session *session);

// Creates the recording and opens everything on pid, which has not run yet. The same on errors.
int session_attach(struct session *session, const char *path, pid_t pid);

// The target runs from now on.
void session_start(struct session *session);

// session.c: does what is due. Returns how many records and messages there were: a sign of how soon to come again.
size_t session_tick(struct session *session, uint64_t now);

// session_finish.c: the target's end, as wait(2) tells it (NULL: not seen); resolves symbols and closes the recording.
// Returns 0, or the first error of writing it.
int session_finish(struct session *session, const int *wait_status, uint64_t end);

void session_close(struct session *session);

// --- for the files of the session

// session_streams.c: the rings that are drained together, in the order of their records' times
int session_add_stream(struct session *session, struct perf_stream *stream);
void session_remove_stream(struct session *session, const struct perf_stream *stream);

// session.c: takes the messages that were sent, then the kernel's records up to now. Returns how many there were of both.
size_t session_drain(struct session *session);
size_t session_drain_until(struct session *session, uint64_t until); // the records alone
// Looks up the homes of all samples that wait for it; before a process is forgotten, with it as ending (else NULL).
void session_settle(struct session *session, struct process *ending);

// session_note.c
void session_note(struct session *session, const char *kind, int64_t value, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// session_counters.c
int session_prepare_counters(struct session *session);
void session_open_counters(struct session *session);
void session_attach_counters(struct session *session, struct thread *thread, struct counter_set *set);
bool session_count_thread(struct session *session, struct thread *thread);
void session_forget_migrations(struct thread *thread);
void session_end_counters(struct session *session, struct thread *thread, uint64_t time);
void session_close_ended(struct session *session);
void session_read_counters(struct session *session, uint64_t now);
void session_switch(struct session *session, bool on, const char *cause);
void session_close_counters(struct session *session);

// session_faults.c
void session_open_faults(struct session *session); // session->faults_error says why there are none
void session_close_faults(struct session *session);

// session_blocks.c: fd is the ring that a process sent
void session_open_blocks(struct session *session, struct process *process, int fd);
void session_close_blocks(struct session *session, struct process *process);
void session_close_ended_blocks(struct session *session);
void session_close_all_blocks(struct session *session);
void session_note_blocks(struct session *session); // what of them could not be seen

// session_records.c
int64_t session_stack(struct session *session, const struct process *process, const struct perf_sample *sample);

// session_rows.c
void session_write_machine(struct session *session);
void session_write_measured(struct session *session); // distances, and what was measured of them
void session_write_run(struct session *session);
void session_write_end(struct session *session, const int *wait_status, uint64_t end);
int64_t session_balancing_moved(void);

// session_evidence.c
const struct perf_reason *session_explain(struct session *session, int error); // why perf_event_open refused
void session_write_evidence(struct session *session);
void session_warn(struct session *session);
void session_write_losses(struct session *session);

// session_records.c
void session_end_thread(struct session *session, struct thread *thread, uint64_t time); // time 0: not known

// session_records.c: handler of the streams of fault sources
void session_fault_record(struct perf_stream *stream, const struct perf_event_header *header, uint64_t time);

// session_connect.c
// Takes connections, at most max of them. *more: strangers kept it from taking all that there were.
size_t session_accept(struct session *session, struct channel_connection *connections, size_t max, bool *more);
void session_connect(struct session *session, struct channel_connection *connection);

// session_messages.c: and connections, all in the order they were sent
size_t session_messages(struct session *session); // how many
bool session_read_cpu_time(struct thread *thread); // false: it is not in /proc

// session_scan.c
void session_scan(struct session *session, uint64_t now);
void session_mark_late(struct session *session, const struct thread *thread);

// session_outside.c
void session_outside_thread(struct session *session, struct process *process, struct thread *thread);
void session_outside_release(const struct session *session, const struct thread *thread);
void session_outside_child(struct session *session, struct process *parent, const struct thread *child);

// session_follow.c
void session_announced(struct session *session, struct process *sender, const struct channel_received *message);
void session_announce_target(const struct session *session, struct process *process);
void session_executed(struct session *session, struct process *process); // the announced, or another: it runs now
bool session_is_outside(const struct process *process); // it cannot have our library

#endif
