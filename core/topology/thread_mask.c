// SPDX-License-Identifier: Apache-2.0
// Also linked into the preload library.
#include "core/topology/thread_mask.h"

#include <alloca.h>
#include <errno.h>
#include <string.h>
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

// The kernel takes words that are not given for zeros: the stack may be a small one.
int thread_mask_bind(pid_t tid, int cpu)
{
    enum { BITS = 64 };
    size_t words = (size_t)cpu / BITS + 1;
    uint64_t *bits = alloca(words * sizeof *bits);
    memset(bits, 0, words * sizeof *bits);
    bits[cpu / BITS] = UINT64_C(1) << (cpu % BITS);
    return syscall(SYS_sched_setaffinity, tid, words * sizeof *bits, bits) < 0 ? -errno : 0;
}
