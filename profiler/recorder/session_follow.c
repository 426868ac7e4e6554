// SPDX-License-Identifier: Apache-2.0
// Programs that the processes run: which of them have our library, and a note for those that cannot.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/text/diag.h"
#include "profiler/recorder/namespaces.h"
#include "profiler/recorder/session.h"

// Why the library is not there; NULL: it could be.
static const char *follow_reason(int kind)
{
    switch (kind) {
    case ELF_KIND_STATIC:
        return "is a static program";
    case ELF_KIND_OTHER_LIBC:
        return "uses another C library than glibc";
    case ELF_KIND_FOREIGN:
        return "is of another architecture";
    case -EPERM:
        return "changes its rights when it starts (setuid or capabilities)";
    case -EACCES:
        return "may be run but not read";
    default:
        return NULL;
    }
}

static bool follow_is_forbidden(int kind)
{
    return kind == -EPERM || kind == -EACCES;
}

static void follow_note(struct session *session, const struct process *process, int kind, const char *path)
{
    char clean[PATH_MAX];
    diag_clean(clean, sizeof clean, path);
    if (follow_is_forbidden(kind)) {
        RECORD(session->queue, RECORDING_PROCESS_FOLLOWED, RECORD_NUMBER(process->id), RECORD_TEXT("no"));
        session_note(session, "not_followed", 1, "run numaprof as the user whose rights it gets, or as root",
                     "%s %s: the kernel lets nobody else measure it, nothing was seen of it", clean,
                     follow_reason(kind));
        return;
    }
    const char *seen = session->fault_source_count == 0 ? "its threads are not seen"
                       : session->counts_cpus ? "its threads are pinned a moment after their start, counted by CPU"
                       : session->counters_on ? "its threads are pinned and counted from a moment after their start"
                                              : "its threads are pinned a moment after their start";
    session_note(session, "not_followed", 1, "link it dynamically with glibc", "%s %s: %s", clean, follow_reason(kind),
                 seen);
}

void session_announced(struct session *session, struct process *sender, const struct channel_received *message)
{
    // After vfork the child speaks with its parent's voice; its fork is in the kernel's records.
    session_drain_until(session, message->time_ns);
    pid_t tid = (pid_t)message->tid;
    if (sender->other_namespace)
        tid = namespaces_outer_tid(sender->pid, tid);
    const struct thread *thread = tasks_thread(&session->tasks, tid);
    struct process *process = thread ? thread->process : sender;
    snprintf(process->exec_path, sizeof process->exec_path, "%s", message->text);
    process->announced_kind = (int)message->a;
    // What follows cannot tell: it will not be measured at all, or nothing here measures.
    if (follow_is_forbidden(process->announced_kind) ||
        (session->fault_source_count == 0 && follow_reason(process->announced_kind)))
        follow_note(session, process, process->announced_kind, process->exec_path);
}

// What the target is, was looked at before it was started: a short one is gone when its exec is known.
void session_announce_target(const struct session *session, struct process *process)
{
    const char *path = session->target->program;
    size_t length = strlen(path), room = sizeof process->exec_path;
    process->announced_kind = (int)session->target->kind;
    snprintf(process->exec_path, room, "%s", length < room ? path : path + length - room + 1);
}

void session_executed(struct session *session, struct process *process)
{
    char program[PATH_MAX], link[64];
    int kind = process->announced_kind;
    process->announced_kind = 0;
    if (kind == 0) {
        snprintf(link, sizeof link, "/proc/%d/exe", process->pid);
        kind = elf_kind_of_path(link, program, sizeof program);
    }
    process->exec_kind = kind > 0 ? kind : 0;
    if (kind > 0 && follow_reason(kind))
        follow_note(session, process, kind, process->exe ? process->exe : process->exec_path);
}

bool session_is_outside(const struct process *process)
{
    return !process->has_library && follow_reason(process->exec_kind);
}
