// SPDX-License-Identifier: Apache-2.0
// Affinity masks by system call: the C library's functions of that name are ours (affinity.c).
#include <alloca.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/preload.h"

int preload_get_mask(pid_t tid, struct preload_mask *mask)
{
    memset(mask, 0, sizeof *mask);
    long n = syscall(SYS_sched_getaffinity, tid, sizeof *mask, mask);
    return n < 0 ? -errno : (int)n;
}

int preload_set_mask(pid_t tid, const struct preload_mask *mask)
{
    return syscall(SYS_sched_setaffinity, tid, sizeof *mask, mask) < 0 ? -errno : 0;
}

int preload_set_only(int cpu)
{
    enum { BITS = 8 * sizeof(unsigned long) };
    size_t words = (size_t)cpu / BITS + 1; // the kernel takes those behind for zeros
    unsigned long *bits = alloca(words * sizeof *bits);
    memset(bits, 0, words * sizeof *bits);
    bits[cpu / BITS] = 1UL << (cpu % BITS);
    return syscall(SYS_sched_setaffinity, 0, words * sizeof *bits, bits) < 0 ? -errno : 0;
}

bool preload_mask_has(const struct preload_mask *mask, int cpu)
{
    enum { BITS = 8 * sizeof(unsigned long) };
    return mask->bits[cpu / BITS] >> (cpu % BITS) & 1;
}

void preload_list_mask(const struct preload_mask *mask, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (int first = 0; first < CPULIST_MAX && used < room; first++) {
        if (!preload_mask_has(mask, first))
            continue;
        int last = first;
        while (last + 1 < CPULIST_MAX && preload_mask_has(mask, last + 1))
            last++;
        const char *comma = used ? "," : "";
        used += (size_t)(first == last ? snprintf(out + used, room - used, "%s%d", comma, first)
                                       : snprintf(out + used, room - used, "%s%d-%d", comma, first, last));
        first = last;
    }
}
