// SPDX-License-Identifier: Apache-2.0
// Counts local and remote accesses by class with the events of the catalogue. A thread that waits at its start gets one
// set of groups (cpu -1). A program whose threads cannot wait (a static one) gets one set for each CPU, which counts a
// task and all that it starts. No thread is in both. Overflows of the remote events are samples with instruction and
// time.
//
// Each set also has a task clock and a migration counter. Coverage is measured against the clock, because the enabled
// time of an event that is bound to a CPU passes while the thread runs elsewhere. Migrations tell whether the counts
// belong to one CPU.
//
// If groups are multiplexed, retired instructions measure work: a pinned event counts those of the whole thread, and an
// event in each group counts those that retired while the group had counters. Reports scale by the ratio.
//
// Multiplexed groups also have a timer: a software event that makes the kernel write the group's counts into the ring,
// on the thread's own CPU. read(2) would interrupt that CPU for each group. With eight busy threads on a virtual
// machine whose CPUs waited for the host's, one round of such reads took three seconds.
#ifndef COLLECTORS_COUNTERS_COUNTERS_H
#define COLLECTORS_COUNTERS_COUNTERS_H

#include <errno.h>
#include <stdatomic.h>

#include "collectors/counters/counters_period.h"
#include "collectors/events/event_plan.h"
#include "collectors/loads/loads.h"
#include "collectors/loads/loads_plan.h"
#include "collectors/perf/perf_event.h"
#include "collectors/processes/tasks.h"
#include "collectors/samples/samples.h"
#include "core/recording/recording_queue.h"
#include "recording_codes.h"

#define COUNTERS_SAMPLE_TYPE                                                                                           \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
     PERF_SAMPLE_PERIOD | \
     PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | LOADS_SAMPLE_TYPE)

// A group whose samples have registers has rings of its own: all events of a ring have the same fields.
struct counters_group;
uint64_t counters_sample_type(const struct counters_group *group);

#define COUNTERS_READ_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

// A timer's record; what comes before READ stands where it does in the samples of the same ring.
#define COUNTERS_TIMER_TYPE                                                                                            \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_READ)

enum {
    COUNTERS_FIRST_PERIOD = 20011,   // of a count; adapted as soon as its rate is known
    COUNTERS_GROUPS = EVENT_PLAN_GROUPS + 1, // and one for sampled loads
    COUNTERS_STACK_BYTES = 1024,     // with a sample: enough to leave memcpy
    COUNTERS_RING_PAGES = 32,        // of a thread's samples, while there are few threads
};

struct counters_event {
    int64_t id;                      // in the recording
    const struct event_entry *source; // NULL: of the loads' group
    struct perf_event_attr attr;
    bool sampled;                    // a remote one, or the loads
    enum recording_source answered_by; // of a remote one: sample.source of its samples
    enum load_source load_source;    // of the loads' group: what the event says of each sample
    const char *load_name;
};

struct counters_group {
    struct counters_event events[EVENT_PLAN_GROUP_EVENTS];
    int count;
    int samples_per_s;               // wanted of a thread
    uint64_t first_period;           // of sampling, until its rate is known
    uint64_t period_step;            // sampling periods must be multiples of it ...
    uint64_t least_period;           // ... and no smaller
    bool with_registers;             // its samples have PERF_SAMPLE_RAW
    bool with_kernel;                // cannot leave the kernel out: its samples there are dropped
    bool of_cpus;                    // samples whatever runs on a CPU: sets of their own (counters_open_cpu)
    bool with_work;                  // the last event of the group counts instructions
    int error;                       // why it cannot be counted here; 0: it can; -EALREADY: others tell more
};

// An event that numaprof verify found to be wrong on this machine. Texts as in docs/events.md; class "loads": sampled
// ones.
struct counters_wrong {
    const char *class, *placement;
    uint64_t config, config1;
};
enum { COUNTERS_IS_WRONG = EBADMSG }; // error of a group that is not used for that

// What to open, found out once; read-only after counters_prepare but for the atomics.
struct counters {
    struct recording_queue *queue;   // NULL: the caller takes what was counted from the set
    struct tasks *tasks;
    struct samples *samples;
    struct event_catalogue *catalogue;
    const struct event_cpu *cpu; // NULL: not in the catalogue
    struct event_plan plan;
    struct counters_group groups[COUNTERS_GROUPS];
    int group_count, usable;         // usable: how many can be counted
    int loads_group;                 // index of the sampled loads, -1: none
    int loads_error;                 // why none
    const char *loads_method;
    int loads_attempt;               // the next one
    struct loads *loads;             // takes their samples
    bool mixed_cpus;                 // other CPUs are of other models: what runs there is not counted
    int error;                       // why none can: -ENODEV no PMU, -ENODATA CPU not in the catalogue, or the kernel's
    int64_t clock_id, migrations_id; // ids of those events
    const struct counters_wrong *wrong; // set by the caller: not to be used
    int wrong_count;
    bool all_asked_for;              // the caller says so: no group is left out for what it adds
    bool emulated;                   // the caller says so: sample less
    bool counts_only;                // the caller says so: nothing is sampled, and work is not counted
    bool with_work;                  // a pinned instructions event can be opened beside the groups
    bool with_timers;                // timers can stand beside it and in the groups
    bool exclude_kernel;             // set by the caller as wanted; set where the kernel forbids more
    // Set by the caller: while all sets together hold no more open files than that, a new one has all groups, later
    // those of the first class only; 0: always all.
    size_t files_for_all;
    _Atomic size_t open_files;       // that the sets hold
    _Atomic uint64_t reduced;        // sets that were opened with the first class only
    _Atomic int open_sets;
    _Atomic unsigned turn;           // the group that the next set opens first, modulo their number
    _Atomic uint64_t refused;        // threads for which no events could be opened ...
    _Atomic int refused_error;       // ... and why
    _Atomic bool paused;             // new sets begin switched off
    uint64_t rows;                   // written so far
};

struct counters_open_group {
    int fds[EVENT_PLAN_GROUP_EVENTS];      // -1: this group is not open
    int work_fd;                           // its instructions; -1: not counted
    int timer_fd;                          // its last event; -1: none
    uint64_t timer_id;                     // the kernel's
    uint64_t read_at;                      // CLOCK_MONOTONIC, by a timer
    int last_cpu;                          // where the timer last told, -1 not yet
    uint64_t ids[EVENT_PLAN_GROUP_EVENTS]; // the kernel's, in samples
    uint64_t work;                         // as last read
    uint64_t values[EVENT_PLAN_GROUP_EVENTS], enabled, running; // as last read
    struct counters_pace pace;       // of sampling
};

struct counter_set {
    struct perf_stream stream;       // of the samples; stream.ring.control NULL: none
    struct counters *counters;
    pid_t tid;
    int cpu;                         // -1: the thread, wherever it runs
    bool of_cpu;                     // from counters_open_cpu: what it counts is nobody's
    bool of_cgroup;
    int64_t thread;                  // its id in the recording; 0: everything on cpu
    int last_cpu;                    // where it ran at the last reading, -1 not known
    size_t files;                    // of counters.open_files
    bool is_reduced;                 // it has the groups of the first class only
    int clock_fd, migrations_fd, work_fd;
    int ring_fd;                     // the event whose ring the others write to; -1: none
    bool may_have_timers;            // nobody tried to add them yet
    int timer_fd;                    // in one group with work_fd; -1: none
    uint64_t timer_id;               // the kernel's
    uint64_t timed_at;               // when its timer last told, CLOCK_MONOTONIC ...
    uint64_t clock_at;               // ... and when that last became a row
    uint64_t clock_ns, migrations;   // as last read
    uint64_t clock_enabled, clock_running;
    uint64_t work;                   // instructions of all of it
    struct counters_open_group groups[COUNTERS_GROUPS];
};

// Identifies the CPU and tries every group on this process. first_id: the first id for event rows. Returns how many ids
// it used. Afterwards usable is 0 if nothing can be counted, and error says why.
int counters_prepare(struct counters *counters, const struct topology *topology, const char *topics, int64_t first_id);
void counters_free(struct counters *counters);

// counters_loads.c: plans the sampled loads as the last group, with the first way of sampling that this CPU has, or
// with the next one after a failure. False: no way is left.
bool counters_plan_loads(struct counters *counters, int64_t first_id);
bool counters_plan_next_loads(struct counters *counters);

// Drops the last class of the plan, and loads with addresses after all other classes, because they name the data.
// False: only one is left.
bool counters_leave_out_last(struct counters *counters);

// The event that counts instructions, at the privilege levels of the counted events.
struct perf_event_attr counters_work_attributes(const struct counters *counters);

// Open files of a thread's set with all usable groups, or with those of the first class only, which every verdict
// needs.
size_t counters_files(const struct counters *counters, bool first_only);
int counters_first_group(const struct counters *counters); // -1: none of a thread can be used

// Writes the event rows. Call it once the recording exists.
void counters_write_events(struct counters *counters);

// How a set counts. on_exec: from the exec of a task that has not run yet, else at once. inherit: also what the task
// starts; cpu must then be a CPU.
struct counters_how {
    bool on_exec, inherit;
    bool first_only;                 // of the groups
    bool of_cgroup;                  // tid is the open folder of a control group: its tasks on the CPU, now and later
    // The thread waits until all events are open, so each event may count at once, which saves a call for each.
    bool waits;
};
// Opens a set. Any thread may call it. NULL: the thread cannot be counted; counters.refused and refused_error say so.
struct counter_set *counters_open(struct counters *counters, pid_t tid, int cpu, struct counters_how how);
void counters_close(struct counter_set *set);

// True if loads are sampled by CPU: each CPU has a set that samples the loads of all programs, and the sets of threads
// sample none.
bool counters_samples_cpus(const struct counters *counters);
struct counter_set *counters_open_cpu(struct counters *counters, int cpu, int *error); // NULL: *error says why

// Reads the set and writes the counts since the last reading. planned_cpu: the CPU of the thread's slot, or -1. time:
// CLOCK_MONOTONIC, ns. False: the thread has not run since.
bool counters_read(struct counter_set *set, int planned_cpu, uint64_t time);

// CPU time, in ns, that the thread had used before its set began to count; -1: unknown, or the set does not count yet.
int64_t counters_time_before(const struct counter_set *set);

// Adds a timer to each group, once. Not called while the thread waits at its start, to keep that short. False: the set
// has no timers.
bool counters_add_timers(struct counter_set *set);

// True if the record, which is of the set's ring, is a timer's.
bool counters_is_timers(const struct counter_set *set, const struct perf_event_header *header);
// Writes the counts of a timer's record, as counters_read does, if the last reading is at least least_ns ago. False:
// the record is malformed.
bool counters_take_timer(struct counter_set *set, const struct perf_event_header *header, uint64_t least_ns);

void counters_switch(struct counter_set *set, bool on);

// Sets the sampling periods by the rates of what was counted: counters_period.h.
void counters_adapt(struct counter_set *set);

// Writes the row of an overflow sample, or passes a sampled load to loads_take. stack: id of the call stack.
void counters_take(struct counter_set *set, const struct perf_sample *sample, const struct thread *thread,
                   int64_t stack);

#endif
