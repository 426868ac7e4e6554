// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/own_limits.h"

#include <sys/resource.h>

#include "core/topology/thread_mask.h"

enum { OWN_LIMITS_NICE = -10 };

// The program begins on the first CPU of the pin order and is not bound to it yet: if we ran there too, the kernel
// would move one of us, and what the program initialises then would be placed elsewhere than where its main thread is
// pinned.
static void own_limits_leave_first_cpu(const struct machine *machine)
{
    struct cpulist mask = machine->topology.allowed_cpus;
    cpulist_remove(&mask, machine->pin_order[0]);
    if (machine->slot_count > 1)
        thread_mask_set(0, &mask); // a wish: the run goes on without
}

// Whatever we start next must not inherit it.
static void own_limits_return_to_all_cpus(const struct machine *machine)
{
    if (machine->slot_count > 1)
        thread_mask_set(0, &machine->topology.allowed_cpus);
}

void own_limits_raise(struct own_limits *limits, const struct machine *machine)
{
    own_limits_leave_first_cpu(machine);
    file_limit_raise(&limits->files);
    limits->nice = getpriority(PRIO_PROCESS, 0);
    limits->raised = true;
    // Rings overflow when we get no CPU in time, and we need little of it. Also a wish: it takes privilege.
    setpriority(PRIO_PROCESS, 0, OWN_LIMITS_NICE);
}

void own_limits_return(const struct own_limits *limits, const struct machine *machine)
{
    if (!limits->raised)
        return;
    file_limit_return(&limits->files);
    own_limits_return_to_all_cpus(machine);
    setpriority(PRIO_PROCESS, 0, limits->nice);
}
