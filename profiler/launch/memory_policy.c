// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/memory_policy.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/topology/thread_mask.h"

static int memory_policy_list(struct cpulist *set, const char *text)
{
    return cpulist_parse(set, text) < 0 || cpulist_count(set) == 0 ? -EINVAL : 0;
}

int memory_policy_parse(struct memory_policy *placement, const char *text)
{
    char memory[1024];
    const char *at = strchr(text, '@');
    size_t length = at ? (size_t)(at - text) : strlen(text);
    *placement = (struct memory_policy){.has_cpus = at != NULL};
    if (length >= sizeof memory)
        return -EINVAL;
    snprintf(memory, sizeof memory, "%.*s", (int)length, text);
    if (at && memory_policy_list(&placement->cpus, at + 1) < 0)
        return -EINVAL;
    if (strcmp(memory, "local") == 0) {
        placement->mode = MPOL_DEFAULT;
        return 0;
    }
    char *nodes = strchr(memory, ':');
    if (!nodes)
        return -EINVAL;
    *nodes = '\0';
    if (strcmp(memory, "interleave") != 0 && strcmp(memory, "bind") != 0)
        return -EINVAL;
    placement->mode = *memory == 'i' ? MPOL_INTERLEAVE : MPOL_BIND;
    return memory_policy_list(&placement->nodes, nodes + 1);
}

int memory_policy_apply(const struct memory_policy *placement, const char **what)
{
    *what = "sched_setaffinity";
    int status = placement->has_cpus ? thread_mask_set(0, &placement->cpus) : 0;
    if (status < 0)
        return status;
    *what = "set_mempolicy";
    // The bits of a cpulist lie as those of a nodemask: words of 64, lowest first.
    const uint64_t *nodes = placement->mode == MPOL_DEFAULT ? NULL : placement->nodes.bits;
    unsigned long most = nodes ? CPULIST_MAX : 0;
    return syscall(SYS_set_mempolicy, placement->mode, nodes, most) < 0 ? -errno : 0;
}
