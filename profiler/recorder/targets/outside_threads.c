// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/outside_threads.h"

#include <limits.h>
#include <string.h>

#include "collectors/processes/thread_time.h"
#include "collectors/protocol/channel_slots.h"
#include "core/text/diag.h"
#include "core/topology/thread_mask.h"

// Nobody but us chose this mask: it is what the run began with, or the slot of the thread it was inherited from.
static bool outside_threads_is_untouched(const struct outside_threads *outside, const struct cpulist *mask,
                                         const struct thread *thread)
{
    if (memcmp(mask, &outside->machine->topology.allowed_cpus, sizeof *mask) == 0)
        return true;
    return thread->born_on >= 0 && cpulist_count(mask) == 1 && cpulist_has(mask, thread->born_on);
}

static void outside_threads_pin(const struct outside_threads *outside, struct thread *thread)
{
    struct cpulist mask;
    char list[512];
    if (thread->pin != CHANNEL_PIN_NONE || thread_mask_get(thread->tid, &mask) < 0)
        return;
    if (channel_program_pins() || !outside_threads_is_untouched(outside, &mask, thread)) {
        tasks_set_pin(outside->tasks, thread, CHANNEL_PIN_PROGRAM, -1, cpulist_format(list, sizeof list, &mask));
        return;
    }
    int cpu = channel_server_take_slot(outside->channel);
    if (cpu < 0)
        return;
    if (thread_mask_bind(thread->tid, cpu) < 0) {
        channel_server_free_slot(outside->channel, cpu); // it has ended
        return;
    }
    thread->born_on = cpu;
    tasks_set_pin(outside->tasks, thread, CHANNEL_PIN_PLANNED, cpu, NULL);
}

void outside_threads_follow(const struct process *process, struct thread *thread)
{
    if (programs_is_outside(process))
        thread_time_follow(thread);
}

// The main thread too: with one thread it was both.
void outside_threads_began(const struct outside_threads *outside, struct process *process, struct thread *thread)
{
    if (!programs_is_outside(process))
        return;
    struct thread *main_thread = tasks_thread(outside->tasks, process->pid);
    if (outside->sets->usable && !outside->sets->counts_cpus) {
        tasks_mark_late(outside->tasks, thread);
        counter_sets_count(outside->sets, thread);
    }
    thread_time_follow(thread); // before the pin shows that we have looked
    if (outside->channel && outside->machine->slot_count > 0 && !process->starts_others) {
        if (main_thread)
            outside_threads_pin(outside, main_thread);
        outside_threads_pin(outside, thread);
    }
}

// The first thread of a child, or of the program that a pinned process execs, is to have the whole mask again.
void outside_threads_release(const struct outside_threads *outside, const struct thread *thread)
{
    struct cpulist mask;
    if (thread->born_on >= 0 && thread_mask_get(thread->tid, &mask) == 0 &&
        outside_threads_is_untouched(outside, &mask, thread))
        thread_mask_set(thread->tid, &outside->machine->topology.allowed_cpus);
}

static size_t outside_threads_unpin_all(const struct outside_threads *outside, const struct process *process)
{
    uint64_t tid, value;
    size_t count = 0;
    for (size_t at = 0; table_next(&outside->tasks->threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (thread->process != process || thread->pin != CHANNEL_PIN_PLANNED)
            continue;
        outside_threads_release(outside, thread);
        channel_server_free_slot(outside->channel, thread->planned_cpu);
        tasks_set_pin(outside->tasks, thread, CHANNEL_PIN_NONE, -1, NULL);
        count++;
    }
    return count;
}

void outside_threads_child(const struct outside_threads *outside, struct process *parent, struct thread *child)
{
    char clean[PATH_MAX];
    outside_threads_release(outside, child);
    thread_time_follow(child);
    if (parent->starts_others)
        return;
    parent->starts_others = true;
    if (outside_threads_unpin_all(outside, parent) > 0)
        note_write(outside->tasks, "unpinned", 1, "link it dynamically with glibc",
                     "%s starts other programs, which must see all CPUs: its own threads are no longer pinned",
                     diag_clean(clean, sizeof clean, parent->exe ? parent->exe : "a static program"));
}
