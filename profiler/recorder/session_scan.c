// SPDX-License-Identifier: Apache-2.0
// What nobody tells: now and then the session looks at its processes and threads in /proc.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "profiler/recorder/session.h"

// A planned thread whose mask is another one by now was moved by somebody's choice. The whole mask has to be seen twice in a
// row: the library takes the pin off while a thread starts a program.
static void scan_pin(struct session *session, struct thread *thread)
{
    struct cpulist mask = {0};
    long bytes = syscall(SYS_sched_getaffinity, thread->tid, sizeof mask.bits, mask.bits);
    if (bytes < 0 || thread->pin != CHANNEL_PIN_PLANNED)
        return;
    bool is_whole = memcmp(&mask, &session->topology.allowed_cpus, sizeof mask) == 0;
    thread->unpinned = is_whole ? thread->unpinned + 1 : 0;
    if (thread->unpinned == 1 || (cpulist_count(&mask) == 1 && cpulist_has(&mask, thread->planned_cpu)))
        return;
    char list[512];
    tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PROGRAM, thread->planned_cpu,
                  cpulist_format(list, sizeof list, &mask));
}

void session_mark_late(struct session *session, const struct thread *thread)
{
    RECORD(session->queue, RECORDING_THREAD_LATE, RECORD_NUMBER(thread->id));
}

// A thread that missed the hand-shake: made by clone(2) itself, or while its message found no room.
static void scan_count(struct session *session, struct thread *thread, uint64_t last_scan)
{
    if (thread->seen > last_scan || !session_count_thread(session, thread))
        return; // new ones may be shaking hands just now
    session_mark_late(session, thread);
}

// Unknown twice in a row: it is not just shaking hands. before: those that were unknown at the last scan.
static void scan_found(struct session *session, struct process *process, pid_t tid, const struct table *before,
                       uint64_t now)
{
    uint64_t unused;
    if (!table_get(before, (uint64_t)tid, &unused)) {
        table_put(&session->strangers, (uint64_t)tid, 1);
        return;
    }
    struct thread *thread = tasks_add_thread(&session->tasks, process, tid, now, false, NULL);
    if (thread)
        session_count_thread(session, thread);
}

static void scan_find_threads(struct session *session, struct process *process, const struct table *before,
                              uint64_t now)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process->pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return;
    for (const struct dirent *entry; (entry = readdir(tasks));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid > 0 && !tasks_thread(&session->tasks, tid))
            scan_found(session, process, tid, before, now);
    }
    closedir(tasks);
}

// Its end was not told twice in a row: it is over.
static bool scan_is_over(struct thread *thread)
{
    if (session_read_cpu_time(thread)) {
        thread->missing = 0;
        return false;
    }
    return ++thread->missing > 1;
}

static void scan_threads(struct session *session, uint64_t last_scan)
{
    uint64_t tid, value;
    for (size_t at = 0; table_next(&session->tasks.threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (scan_is_over(thread)) {
            session_end_thread(session, thread, 0);
            at = 0; // the table has changed
            continue;
        }
        scan_pin(session, thread);
        scan_count(session, thread, last_scan);
    }
}

void session_scan(struct session *session, uint64_t now)
{
    uint64_t pid, value;
    uint64_t last_scan = session->scanned_at;
    session->scanned_at = now;
    session_drain(session);
    struct table before = session->strangers;
    session->strangers = (struct table){0};
    for (size_t at = 0; table_next(&session->tasks.processes, &at, &pid, &value);)
        scan_find_threads(session, (struct process *)(uintptr_t)value, &before, now);
    table_free(&before);
    scan_threads(session, last_scan);
    session_close_ended(session);
}
