// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/attached.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/system/clock.h"

// A thread may start another one while its process is scanned: the scan is repeated until it finds none that is new.
enum { ATTACHED_MOST_SCANS = 100 };

static void attached_watch(struct attached *attached, pid_t tid)
{
    struct kernel_records *records = attached->records;
    if (attached->without_faults)
        return;
    if (records->count == 0)
        kernel_records_open_running(records, tid);
    else
        records->error = kernel_records_add(records, tid);
    const int status = records->error;
    records->error = 0;
    if (status == 0 || status == -ESRCH)
        return; // it has ended, or is watched
    attached->unwatched++;
    attached->error = status;
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
    attached_watch(attached, tid); // first: from here on the kernel reports what it starts
    counter_sets_count(attached->targets->sets, thread);
    attached->threads++;
    return 1;
}

// Returns how many threads were new, or -ENOMEM. is_first: nobody has watched the process so far. Later a thread is new only if
// it is still unknown after the kernel's records up to now were taken: they report those that a watched thread starts.
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
            perf_streams_drain(attached->records->streams, clock_now()); // may end processes
        if (tid <= 0 || tasks_thread(tasks, tid))
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
            program_files_see(attached->targets->walk->files, process->pid, mapping->path, process->start);
    }
}

static int attached_process(struct attached *attached, const struct running_process *running)
{
    struct tasks *tasks = attached->targets->tasks;
    uint64_t now = clock_now();
    struct process *process = tasks_add_process(tasks, running->pid, NULL, now, "attached");
    if (!process)
        return -ENOMEM;
    process->is_attached = true;
    process->forgets = true;         // what it touched before is not known
    process->touched_at = now;       // its pages are worth a look
    RECORD(tasks->queue, RECORDING_ATTACHED, RECORD_NUMBER(process->id),
           running->age_ns >= 0 ? RECORD_NUMBER(running->age_ns) : RECORD_NULL);
    attached_see_mappings(attached, process);
    int found = attached_scan(attached, running->pid, true);
    for (int scans = 1; found > 0 && scans < ATTACHED_MOST_SCANS; scans++)
        found = attached_scan(attached, running->pid, false);
    return found < 0 ? found : 0;
}

int attached_begin(struct attached *attached)
{
    int status = 0;
    for (size_t i = 0; i < attached->running->count && status == 0; i++)
        status = attached_process(attached, &attached->running->processes[i]);
    if (attached->records->count == 0)
        attached->records->error = attached->without_faults ? -ECANCELED : attached->error;
    return status == 0 && attached->threads == 0 ? -ESRCH : status;
}

void attached_finish(const struct attached *attached)
{
    if (attached->unwatched == 0 || attached->records->count == 0)
        return; // the evidence says why there is none
    struct note_missing reason = refusals_missing(attached->records->refusals, attached->error);
    note_write(attached->targets->tasks, "refused", (int64_t)attached->unwatched, reason.remedy,
               "page faults and new threads of %zu of %zu threads are not reported: %s", attached->unwatched,
               attached->threads, reason.why);
}
