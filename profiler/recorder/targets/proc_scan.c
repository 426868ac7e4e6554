// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/proc_scan.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/processes/thread_time.h"
#include "core/system/clock.h"
#include "core/topology/thread_mask.h"

enum { PROC_SCAN_MS = 250 };

// A planned thread whose mask is another one by now was moved by somebody's choice. The whole mask is nobody's: the
// preload library takes the pin off while a thread starts a program, or waits for it in system(3).
static void proc_scan_pin(struct proc_scan *scan, struct thread *thread)
{
    struct cpulist mask;
    if (thread->pin != CHANNEL_PIN_PLANNED || thread_mask_get(thread->tid, &mask) < 0)
        return;
    const bool is_whole = memcmp(&mask, &scan->machine->topology.allowed_cpus, sizeof mask) == 0;
    if (is_whole || (cpulist_count(&mask) == 1 && cpulist_has(&mask, thread->planned_cpu)))
        return;
    char list[512];
    tasks_set_pin(scan->targets->tasks, thread, CHANNEL_PIN_PROGRAM, thread->planned_cpu,
                  cpulist_format(list, sizeof list, &mask));
}

// A thread that missed the handshake: made by clone(2) itself, or while its message found no room.
static void proc_scan_count(struct proc_scan *scan, struct thread *thread, uint64_t last_scan)
{
    if (thread->seen > last_scan || !counter_sets_count(scan->targets->sets, thread))
        return; // new ones may be shaking hands just now
    tasks_mark_late(scan->targets->tasks, thread);
}

// Unknown twice in a row: it is not just shaking hands. before: those that were unknown at the last scan.
static void proc_scan_found(struct proc_scan *scan, struct process *process, pid_t tid, const struct table *before,
                       uint64_t now)
{
    uint64_t unused;
    if (!table_get(before, (uint64_t)tid, &unused)) {
        table_put(&scan->unknown, (uint64_t)tid, 1);
        return;
    }
    struct thread *thread = tasks_add_thread(scan->targets->tasks, process, tid, now, false, NULL);
    if (thread)
        counter_sets_count(scan->targets->sets, thread);
}

static void proc_scan_find_threads(struct proc_scan *scan, struct process *process, const struct table *before,
                              uint64_t now)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process->pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return;
    for (const struct dirent *entry; (entry = readdir(tasks));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        const bool has_ended = tid == process->pid && process->shown != tid; // the main thread stays there
        if (tid > 0 && !has_ended && !tasks_thread(scan->targets->tasks, tid))
            proc_scan_found(scan, process, tid, before, now);
    }
    closedir(tasks);
}

// Gone twice in a row: its end was not told.
static bool proc_scan_is_missing(const struct thread *thread)
{
    return thread->missing > 1;
}

// The kernel is asked, because /proc may be missing.
static bool proc_scan_is_over(struct thread *thread)
{
    thread_time_read(thread);
    const bool is_gone = syscall(SYS_tgkill, thread->process->pid, thread->tid, 0) < 0 && errno == ESRCH;
    thread->missing = is_gone ? thread->missing + 1 : 0;
    return proc_scan_is_missing(thread);
}

static void proc_scan_threads(struct proc_scan *scan, uint64_t last_scan)
{
    uint64_t tid, value;
    for (size_t at = 0; table_next(&scan->targets->tasks->threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (proc_scan_is_over(thread))
            continue;
        proc_scan_pin(scan, thread);
        proc_scan_count(scan, thread, last_scan);
    }
    // In a walk of its own: one with removals may return an entry twice, which would be two looks at a missing thread.
    for (size_t at = 0; table_next(&scan->targets->tasks->threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (proc_scan_is_missing(thread)) {
            targets_end_thread(scan->targets, thread, 0);
            table_removed(&at);
        }
    }
}

void proc_scan_run(struct proc_scan *scan, uint64_t now)
{
    uint64_t pid, value;
    uint64_t last_scan = scan->scanned_at;
    scan->scanned_at = now;
    struct table before = scan->unknown;
    scan->unknown = (struct table){0};
    for (size_t at = 0; table_next(&scan->targets->tasks->processes, &at, &pid, &value);) {
        struct process *process = (struct process *)(uintptr_t)value;
        targets_recover(scan->targets, process);
        proc_scan_find_threads(scan, process, &before, now);
    }
    table_free(&before);
    proc_scan_threads(scan, last_scan);
}

bool proc_scan_is_due(const struct proc_scan *scan, uint64_t now)
{
    return now - scan->scanned_at > PROC_SCAN_MS * CLOCK_MS;
}

void proc_scan_close(struct proc_scan *scan)
{
    table_free(&scan->unknown);
}
