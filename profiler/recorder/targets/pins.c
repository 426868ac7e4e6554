// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/pins.h"

#include <string.h>

#include "core/topology/thread_mask.h"
#include "profiler/recorder/run/machine.h"

static bool pins_is_within(const struct cpulist *mask, const struct cpulist *whole)
{
    for (size_t i = 0; i < sizeof mask->bits / sizeof *mask->bits; i++)
        if (mask->bits[i] & ~whole->bits[i])
            return false;
    return memcmp(mask, whole, sizeof *mask) != 0;
}

// The main thread of the target has the CPUs of a node before there are others.
static bool pins_is_ours(const struct targets *targets, const struct thread *thread, const struct cpulist *mask,
                         const struct cpulist *whole)
{
    if (thread->pin == CHANNEL_PIN_PLANNED)
        return cpulist_count(mask) == 1 && cpulist_has(mask, thread->planned_cpu);
    return thread->pin == CHANNEL_PIN_NONE && thread->tid == thread->process->pid && thread->process->has_library &&
           targets->channel && (uint32_t)thread->tid == targets->channel->settings.target &&
           pins_is_within(mask, whole);
}

static void pins_give_back_one(const struct targets *targets, const struct thread *thread)
{
    struct cpulist mask, whole = targets->outside.machine->topology.allowed_cpus;
    if (thread->process->has_library && !allocations_process_mask(thread->process, &whole))
        return; // left to the library
    if (thread_mask_get(thread->tid, &mask) == 0 && pins_is_ours(targets, thread, &mask, &whole))
        thread_mask_set(thread->tid, &whole);
}

void pins_give_back(const struct targets *targets)
{
    uint64_t tid, value;
    for (size_t at = 0; table_next(&targets->tasks->threads, &at, &tid, &value);)
        pins_give_back_one(targets, (const struct thread *)(uintptr_t)value);
}

void pins_forget(const struct targets *targets, const struct process *process)
{
    uint64_t tid, value;
    for (size_t at = 0; table_next(&targets->tasks->threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (thread->process != process || thread->pin != CHANNEL_PIN_PLANNED)
            continue;
        if (targets->channel && !thread->left_slot)
            channel_server_free_slot(targets->channel, thread->planned_cpu);
        tasks_set_pin(targets->tasks, thread, CHANNEL_PIN_NONE, -1, NULL);
    }
}
