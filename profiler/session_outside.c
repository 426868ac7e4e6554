// SPDX-License-Identifier: Apache-2.0
// Threads of programs that cannot load our library (static ones, another C library): pinned and counted from here, when
// the kernel's record of their start arrives. That is up to supervise.c's longest wait after it; until then a thread runs
// where its creator does. And the pins show: what such a program asks about its CPUs later, or starts from a pinned
// thread, sees one CPU until we have looked.
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/session.h"

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
static bool outside_is_untouched(const struct session *session, const struct cpulist *mask, const struct thread *creator)
{
    if (memcmp(mask, &session->topology.allowed_cpus, sizeof *mask) == 0)
        return true;
    return creator && creator->pin == CHANNEL_PIN_PLANNED && cpulist_count(mask) == 1 &&
           cpulist_has(mask, creator->planned_cpu);
}

static void outside_pin(struct session *session, struct thread *thread, const struct thread *creator)
{
    struct cpulist mask, place = {0};
    char list[512];
    if (thread->pin != CHANNEL_PIN_NONE || !outside_get_mask(thread->tid, &mask))
        return;
    if (outside_is_chosen() || !outside_is_untouched(session, &mask, creator)) {
        tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PROGRAM, -1, cpulist_format(list, sizeof list, &mask));
        return;
    }
    int cpu = channel_server_take_place(&session->channel);
    if (cpu < 0)
        return;
    cpulist_add(&place, cpu);
    if (outside_set_mask(thread->tid, &place))
        tasks_set_pin(&session->tasks, thread, CHANNEL_PIN_PLANNED, cpu, NULL);
    else
        channel_server_free_place(&session->channel, cpu); // it has ended
}

// The main thread too: with one thread it was both.
void session_outside_thread(struct session *session, struct process *process, struct thread *thread, pid_t creator_tid)
{
    if (!session_is_outside(process))
        return;
    struct thread *main_thread = tasks_thread(&session->tasks, process->pid);
    if (session->counters_on && session->cpu_set_count == 0) {
        session_mark_late(session, thread);
        session_count_thread(session, thread);
    }
    if (session->has_channel && session->plan_count > 0) {
        if (main_thread)
            outside_pin(session, main_thread, NULL);
        outside_pin(session, thread, tasks_thread(&session->tasks, creator_tid));
    }
}

// A child of a pinned thread, or the program that a pinned process execs, is to have the whole mask again.
void session_outside_release(const struct session *session, const struct thread *child, const struct thread *creator)
{
    struct cpulist mask;
    if (creator && creator->pin == CHANNEL_PIN_PLANNED && outside_get_mask(child->tid, &mask) &&
        outside_is_untouched(session, &mask, creator))
        outside_set_mask(child->tid, &session->topology.allowed_cpus);
}
