// SPDX-License-Identifier: Apache-2.0
// Also linked into the preload library.
#include "core/topology/thread_mask.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

// The bits of a cpulist lie as those of a cpu_set_t: words of 64, lowest first.
int thread_mask_get(pid_t tid, struct cpulist *mask)
{
    *mask = (struct cpulist){0}; // the kernel writes as many bytes as its masks have
    return syscall(SYS_sched_getaffinity, tid, sizeof mask->bits, mask->bits) < 0 ? -errno : 0;
}

int thread_mask_set(pid_t tid, const struct cpulist *mask)
{
    return syscall(SYS_sched_setaffinity, tid, sizeof mask->bits, mask->bits) < 0 ? -errno : 0;
}

int thread_mask_bind(pid_t tid, int cpu)
{
    struct cpulist only = {0};
    cpulist_add(&only, cpu);
    return thread_mask_set(tid, &only);
}
