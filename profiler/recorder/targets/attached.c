// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/attached.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "collectors/processes/thread_time.h"
#include "core/system/cgroup.h"
#include "core/system/clock.h"
#include "core/text/diag.h"
#include "profiler/recorder/targets/code_seen.h"

// A thread may start another one while its process is scanned: the scan is repeated until it finds none that is new.
enum { ATTACHED_MOST_SCANS = 100 };

static void attached_watch(struct attached *attached, pid_t tid)
{
    enum { ANY_PROCESS = -1 };
    struct kernel_records *records = attached->records;
    if (attached->without_faults)
        return;
    if (attached->of_machine && (records->count > 0 || attached->error < 0))
        return;
    if (records->count == 0)
        kernel_records_open_running(records, attached->of_machine ? ANY_PROCESS : tid);
    else
        records->error = kernel_records_add(records, tid);
    const int status = records->error;
    records->error = 0;
    if (status == 0 || status == -ESRCH)
        return; // it has ended, or is watched
    attached->unwatched++;
    attached->error = attached->of_machine ? -EMFILE : status; // with more of them, privilege were not needed
}

// 1: the thread is new. 0: its process has ended. -ENOMEM.
static int attached_add_thread(struct attached *attached, pid_t pid, pid_t tid)
{
    struct tasks *tasks = attached->targets->tasks;
    struct process *process = tasks_process(tasks, pid);
    if (!process)
        return 0;
    struct thread *thread = tasks_add_thread(tasks, process, tid, clock_now(), false, NULL);
    if (!thread)
        return -ENOMEM;
    thread_time_begin(thread);
    attached_watch(attached, tid); // first: from here on the kernel reports what it starts
    counter_sets_count(attached->targets->sets, thread);
    attached->threads++;
    return 1;
}

// Returns how many threads were new, or -ENOMEM. is_first: nobody has watched the process so far. Later a thread is new
// only if it is still unknown after the kernel's records up to now were taken: they report those that a watched thread
// starts.
static int attached_scan(struct attached *attached, pid_t pid, bool is_first)
{
    const struct tasks *tasks = attached->targets->tasks;
    char path[64];
    int count = 0, status = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = opendir(path);
    if (!folder)
        return 0; // it has ended
    for (const struct dirent *entry; (entry = readdir(folder)) && status >= 0;) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid > 0 && !is_first && !tasks_thread(tasks, tid))
            perf_streams_drain(attached->records->streams, clock_now());
        const struct process *process = tasks_process(tasks, pid); // NULL: its end was among the records
        if (!process)
            break;
        if (tid <= 0 || tasks_thread(tasks, tid) || (tid == pid && process->shown != tid))
            continue;
        status = attached_add_thread(attached, pid, tid);
        count += status > 0;
    }
    closedir(folder);
    return status < 0 ? status : count;
}

// The files that its code comes from are held open from now on.
static void attached_see_mappings(const struct attached *attached, const struct process *process)
{
    for (size_t i = 0; i < process->space.count; i++) {
        struct mapping *mapping = &process->space.items[i];
        mapping->was_there = true;
        if (mapping->executable && *mapping->path == '/')
            code_seen(attached->targets, process, mapping->path, process->start);
    }
}

static int attached_process(struct attached *attached, const struct running_process *running)
{
    struct tasks *tasks = attached->targets->tasks;
    uint64_t now = clock_now();
    if (tasks_process(tasks, running->pid))
        return 0;
    struct process *process = tasks_add_process(tasks, running->pid, NULL, now, "attached");
    if (!process)
        return -ENOMEM;
    process->is_attached = true;
    process->forgets = true;         // what it touched before is not known
    process->touched_at = now;       // its pages are worth a look
    RECORD(tasks->queue, RECORDING_ATTACHED, RECORD_NUMBER(process->id), RECORD_KNOWN(running->age_ns));
    attached_see_mappings(attached, process);
    int found = attached_scan(attached, running->pid, true);
    for (int scans = 1; found > 0 && scans < ATTACHED_MOST_SCANS; scans++)
        found = attached_scan(attached, running->pid, false);
    return found < 0 ? found : 0;
}

// Attaches to children that were started after the list was made and before their parents were watched. The kernel
// reports later ones. Returns how many, or -ENOMEM.
static int attached_late_children(struct attached *attached)
{
    struct running found;
    int status = running_now(attached->running, &found), count = 0;
    if (attached->records->count > 0)
        perf_streams_drain(attached->records->streams, clock_now());
    for (size_t i = 0; i < found.count && status == 0; i++) {
        if (tasks_process(attached->targets->tasks, found.processes[i].pid) ||
            !running_is_measurable(&found.processes[i]))
            continue;
        status = attached_process(attached, &found.processes[i]);
        count++;
    }
    running_free(&found);
    return status == -ENOMEM ? status : count;
}

int attached_begin(struct attached *attached)
{
    int status = 0;
    if (attached->by_cgroup)
        counter_sets_count_cgroup(attached->targets->sets, attached->running->group);
    for (size_t i = 0; i < attached->running->count && status == 0; i++)
        status = attached_process(attached, &attached->running->processes[i]);
    int found = status == 0 && !*attached->running->group;
    for (int scans = 0; found > 0 && scans < ATTACHED_MOST_SCANS; scans++)
        found = attached_late_children(attached);
    status = found < 0 ? found : status;
    if (attached->records->count == 0)
        attached->records->error = attached->without_faults ? -ECANCELED : attached->error;
    return status == 0 && attached->threads == 0 ? -ESRCH : status;
}

// --- what fits

static int attached_refuse(const struct attached *attached, size_t threads)
{
    char remedy[96];
    snprintf(remedy, sizeof remedy, "ulimit -n %zu, run as root, or attach to fewer processes", attached->needed);
    diag_error(remedy, "%zu threads need %zu open files, %zu are allowed", threads, attached->needed,
               attached->allowed);
    return DIAG_EXIT_FAILED;
}

static bool attached_has_own(const struct running *running)
{
    char own[PATH_MAX];
    const char *group = running->group + strlen("/sys/fs/cgroup");
    size_t n = strlen(group);
    while (n > 0 && group[n - 1] == '/')
        n--;
    return cgroup_path(own, sizeof own, "") < 0 || (strncmp(own, group, n) == 0 && (own[n] == '/' || own[n] == '\0'));
}

// The kernel counts all of a group, also what is not recorded: numaprof itself, and other users' processes.
static bool attached_may_count_group(const struct attached *attached)
{
    const struct running *running = attached->running;
    return *running->group && running->refused == 0 && !attached_has_own(running) &&
           counter_sets_can_count_cgroup(attached->targets->sets, running->group);
}

int attached_plan(struct attached *attached)
{
    enum { OWN = 256, MOST_INHERITED = 16384 }; // the files of its program and ours; what is opened in half a second
    struct counters *counters = &attached->targets->sets->counters;
    const bool counts = attached->targets->sets->usable;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    attached->allowed = files.rlim_cur == RLIM_INFINITY ? SIZE_MAX : files.rlim_cur;
    const size_t threads = running_threads(attached->running), cpus = attached->topology->cpu_count;
    size_t inherited = attached->without_faults ? 0 : 2 * threads * cpus;
    attached->of_machine = inherited > MOST_INHERITED || inherited + OWN > attached->allowed;
    size_t faults = attached->of_machine ? 2 * cpus : inherited;
    size_t counted = counts ? threads * counters_files(counters, false) : 0;
    attached->by_cgroup = OWN + faults + counted > attached->allowed && counts && cpus < threads &&
                          attached_may_count_group(attached);
    do {
        counted = counts ? (attached->by_cgroup ? cpus : threads) * counters_files(counters, false) : 0;
        attached->needed = OWN + faults + counted;
    } while (attached->needed > attached->allowed && counts && counters_leave_out_last(counters) &&
             ++attached->left_out);
    if (attached->needed > attached->allowed)
        return attached_refuse(attached, threads);
    counters->files_for_all = counted + (attached->allowed - attached->needed) / 2; // new threads share the rest
    return 0;
}

// --- processes that come later

// Unknown twice in a row: no process of ours started it, or the kernel's record of that would have arrived.
static void attached_meet(struct attached *attached, struct running_process *process, const struct table *before)
{
    uint64_t unused, key = (uint64_t)process->pid;
    if (tasks_process(attached->targets->tasks, process->pid))
        return;
    if (!table_get(before, key, &unused))
        table_put(&attached->strangers, key, 1);
    else if (running_is_measurable(process))
        attached_process(attached, process);
}

void attached_tick(struct attached *attached, uint64_t now)
{
    enum { EVERY_MS = 250 };
    struct running found;
    if (!attached->running || now < attached->looked_at + EVERY_MS * CLOCK_MS)
        return;
    if (!*attached->running->group && attached->records->count > 0)
        return; // the kernel reports what they start
    attached->looked_at = now;
    struct table before = attached->strangers;
    attached->strangers = (struct table){0};
    if (running_now(attached->running, &found) == 0) {
        if (attached->records->count > 0)
            perf_streams_drain(attached->records->streams, clock_now());
        for (size_t i = 0; i < found.count; i++)
            attached_meet(attached, &found.processes[i], &before);
    }
    table_free(&before);
    running_free(&found);
}

void attached_close(struct attached *attached)
{
    table_free(&attached->strangers);
}

// When a process begins to run a program with other rights than its user (setuid), the kernel ends the events of an
// observer without privilege, with the same record as when the process ends.
static void attached_note_lost(const struct attached *attached)
{
    const struct tasks *tasks = attached->targets->tasks;
    for (size_t i = 0; i < attached->running->count; i++) {
        const struct running_process *process = &attached->running->processes[i];
        if (!tasks_process(tasks, process->pid) && running_is_foreign(process))
            note_write(tasks, "not_followed", 1, "run numaprof as root",
                       "process %d is recorded until it began to run a program with other rights (setuid)",
                       process->pid);
    }
}

void attached_finish(const struct attached *attached)
{
    const struct tasks *tasks = attached->targets->tasks;
    if (attached->running)
        attached_note_lost(attached);
    if (attached->left_out > 0)
        note_write(tasks, "refused", attached->left_out, "ulimit -n, or attach to fewer processes",
                   "%d groups of counters are left out: with all groups, the threads need more than the %zu allowed "
                   "open files", attached->left_out, attached->allowed);
    if (attached->running && attached->running->refused > 0)
        note_write(tasks, "refused", (int64_t)attached->running->refused, "run numaprof as root",
                   "%zu processes %s belong to other users and are not recorded", attached->running->refused,
                   *attached->running->group ? "of the control group" : "that these processes started");
    if (attached->running && attached->records->count == 0)
        note_write(tasks, "not_followed", 0, NULL,
                   "new threads and processes that ended within half a second were not seen: only events of page "
                   "faults report them");
    if (attached->unwatched == 0 || attached->records->count == 0)
        return; // the evidence says why there is none
    struct note_missing reason = refusals_missing(attached->records->refusals, attached->error);
    note_write(attached->targets->tasks, "refused", (int64_t)attached->unwatched, reason.remedy,
               "page faults and new threads of %zu of %zu threads are not reported: %s", attached->unwatched,
               attached->threads, reason.why);
}
