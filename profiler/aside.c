// SPDX-License-Identifier: Apache-2.0
#include "profiler/aside.h"

#include <sys/syscall.h>
#include <unistd.h>

void aside_step(struct cpulist *before, int cpu)
{
    *before = (struct cpulist){0};
    if (syscall(SYS_sched_getaffinity, 0, sizeof before->bits, before->bits) < 0)
        return;
    struct cpulist elsewhere = *before;
    elsewhere.bits[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
    syscall(SYS_sched_setaffinity, 0, sizeof elsewhere.bits, elsewhere.bits); // refused where there is no other
}

void aside_return(const struct cpulist *before)
{
    if (cpulist_count(before) > 0)
        syscall(SYS_sched_setaffinity, 0, sizeof before->bits, before->bits);
}
