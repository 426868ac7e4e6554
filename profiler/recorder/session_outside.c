// SPDX-License-Identifier: Apache-2.0
// Threads of programs that cannot load our library (static ones, another C library): pinned and counted from here, when
// the kernel's record of their start arrives. That is up to supervise.c's longest wait after it; until then a thread runs
// where its creator does. And the pins show: what such a program asks about its CPUs later, or starts from a pinned
// thread, sees one CPU until we have looked. A program that starts others is a launcher (go, a musl shell): from its first
// child on, its threads have the whole mask, and so has what they start.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text/diag.h"
#include "profiler/recorder/session.h"

static bool outside_get_mask(pid_t tid, struct cpulist *mask)
{
    *mask = (struct cpulist){0};
    return syscall(SYS_sched_getaffinity, tid, sizeof mask->bits, mask->bits) > 0;
}

static bool outside_set_mask(pid_t tid, const struct cpulist *mask)
{
    return syscall(SYS_sched_setaffinity, tid, sizeof mask->bits, mask->bits) == 0;
}

// The program's runtime was told where threads belong.
static bool outside_is_chosen(void)
{
    static const char *const settings[] = CHANNEL_PIN_SETTINGS;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *value = getenv(settings[i]);
        if (value && *value)
            return true;
    }
    return false;
}

// Nobody but us chose this mask: it is what the run began with, or the place of the thread it was inherited from.
static bool outside_is_untouched(const struct session *session, const struct cpulist *mask, const struct thread *thread)
{
    if (memcmp(mask, &session->topology.allowed_cpus, sizeof *mask) == 0)
        return true;
    return thread->born_on >= 0 && cpulist_count(mask) == 1 && cpulist_has(mask, thread->born_on);
}

static void outside_pin(struct session *session, struct thread *thread)
{
    struct cpulist mask, place = {0};
    char list[512];
    if (thread->pin != CHANNEL_PIN_NONE || !outside_get_mask(thread->tid, &mask))
        return;
    if (outside_is_chosen() || !outside_is_untouched(session, &mask, thread)) {
        tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PROGRAM, -1, cpulist_format(list, sizeof list, &mask));
        return;
    }
    int cpu = channel_server_take_slot(&session->channel);
    if (cpu < 0)
        return;
    cpulist_add(&place, cpu);
    if (!outside_set_mask(thread->tid, &place)) {
        channel_server_free_slot(&session->channel, cpu); // it has ended
        return;
    }
    thread->born_on = cpu;
    tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PLANNED, cpu, NULL);
}

// The main thread too: with one thread it was both.
void session_outside_thread(struct session *session, struct process *process, struct thread *thread)
{
    if (!session_is_outside(process))
        return;
    struct thread *main_thread = tasks_thread(&session->tasks, process->pid);
    if (session->counters_on && !session->counts_cpus) {
        session_mark_late(session, thread);
        session_count_thread(session, thread);
    }
    if (session->has_channel && session->slot_count > 0 && !process->starts_others) {
        if (main_thread)
            outside_pin(session, main_thread);
        outside_pin(session, thread);
    }
}

// The first thread of a child, or of the program that a pinned process execs, is to have the whole mask again.
void session_outside_release(const struct session *session, const struct thread *thread)
{
    struct cpulist mask;
    if (thread->born_on >= 0 && outside_get_mask(thread->tid, &mask) && outside_is_untouched(session, &mask, thread))
        outside_set_mask(thread->tid, &session->topology.allowed_cpus);
}

static size_t outside_unpin_all(struct session *session, const struct process *process)
{
    uint64_t tid, value;
    size_t count = 0;
    for (size_t at = 0; table_next(&session->tasks.threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (thread->process != process || thread->pin != CHANNEL_PIN_PLANNED)
            continue;
        session_outside_release(session, thread);
        channel_server_free_slot(&session->channel, thread->planned_cpu);
        tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_NONE, -1, NULL);
        count++;
    }
    return count;
}

void session_outside_child(struct session *session, struct process *parent, const struct thread *child)
{
    char clean[PATH_MAX];
    session_outside_release(session, child);
    if (parent->starts_others)
        return;
    parent->starts_others = true;
    if (outside_unpin_all(session, parent) > 0)
        session_note(session, "unpinned", 1, "link it dynamically with glibc",
                     "%s starts other programs, which are to see all CPUs: its own threads are pinned no longer",
                     diag_clean(clean, sizeof clean, parent->exe ? parent->exe : "a static program"));
}
