// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/memory/memory_extent.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/system/cgroup.h"
#include "core/system/sysfile.h"
#include "core/topology/topology_parts.h"

#define MEMORY_EXTENT_MIB (INT64_C(1) << 20)
enum {
    MEMORY_EXTENT_CACHES = 8, // each half is four times the caches, as STREAM's rule for its arrays has it ...
    MEMORY_EXTENT_FEW_CACHES = 4, // ... or twice, where that is more than MEMORY_EXTENT_PLENTY; below that we refuse
    MEMORY_EXTENT_PLENTY = 2048, // MiB
    MEMORY_EXTENT_LEAST = 512, // MiB: a walk through half of it does not come round within one measurement
    MEMORY_EXTENT_LEAST_EMULATED = 32, // MiB: times mean nothing there, and each page takes long
    MEMORY_EXTENT_UNKNOWN_CACHE = 64, // MiB, where the kernel does not tell
};

int64_t memory_extent_cache(const struct topology *t)
{
    int64_t most = TOPOLOGY_UNKNOWN;
    for (size_t i = 0; i < t->node_count; i++)
        most = t->nodes[i].llc_bytes > most ? t->nodes[i].llc_bytes : most;
    return most;
}

static int64_t memory_extent_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Pages of files that nobody has used lately are given up for ours.
static int64_t memory_extent_node_free(const struct topology *t, const char *root, int id)
{
    char text[8192];
    const struct topology_node *node = topology_node(t, id);
    int64_t free_bytes = node && node->free_bytes > 0 ? node->free_bytes : 0, cached = 0;
    if (sysfile_text(root, text, sizeof text, "/sys/devices/system/node/node%d/meminfo", id) > 0)
        cached = topology_meminfo(text, "Inactive(file):");
    return free_bytes + (cached > 0 ? cached : 0);
}

// What our control group and those above it leave.
static int64_t memory_extent_group_free(const char *root)
{
    char path[PATH_MAX];
    int64_t spare = INT64_MAX, most, used;
    if (cgroup_path(path, sizeof path, root) < 0)
        return spare;
    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        *end = '\0';
        if (sysfile_number(root, &most, "/sys/fs/cgroup%s/memory.max", path) == 0 &&
            sysfile_number(root, &used, "/sys/fs/cgroup%s/memory.current", path) == 0)
            spare = memory_extent_smaller(spare, most > used ? most - used : 0);
    }
    return spare;
}

int64_t memory_extent_spare(const struct topology *t, const char *root, const struct cpulist *nodes)
{
    int64_t least = INT64_MAX, count = cpulist_count(nodes);
    for (int id = cpulist_next(nodes, 0); id >= 0; id = cpulist_next(nodes, id + 1))
        least = memory_extent_smaller(least, memory_extent_node_free(t, root, id));
    least = least < INT64_MAX / count ? least * count : least;
    return memory_extent_smaller(least, memory_extent_group_free(root)) / 2;
}

static int64_t memory_extent_wanted(int64_t cache, bool emulated)
{
    int64_t wanted = MEMORY_EXTENT_CACHES * cache, few = MEMORY_EXTENT_FEW_CACHES * cache;
    if (emulated)
        return MEMORY_EXTENT_LEAST_EMULATED * MEMORY_EXTENT_MIB;
    if (wanted > MEMORY_EXTENT_PLENTY * MEMORY_EXTENT_MIB)
        wanted = few > MEMORY_EXTENT_PLENTY * MEMORY_EXTENT_MIB ? few : MEMORY_EXTENT_PLENTY * MEMORY_EXTENT_MIB;
    return wanted > MEMORY_EXTENT_LEAST * MEMORY_EXTENT_MIB ? wanted : MEMORY_EXTENT_LEAST * MEMORY_EXTENT_MIB;
}

int memory_extent_choose(struct memory_extent *extent, const struct topology *t, int64_t spare, int64_t asked,
                         bool emulated)
{
    int64_t cache = memory_extent_cache(t), room = spare / 3 * 2;
    if (cache <= 0)
        cache = MEMORY_EXTENT_UNKNOWN_CACHE * MEMORY_EXTENT_MIB;
    int64_t wanted = asked > 0 ? asked : memory_extent_wanted(cache, emulated);
    int64_t bytes = memory_extent_smaller(wanted, room) / MEMORY_EXTENT_UNIT * MEMORY_EXTENT_UNIT;
    *extent =
        (struct memory_extent){.wanted = wanted, .spare = spare, .is_short = bytes < wanted, .bytes = (size_t)bytes};
    int64_t least = asked > 0 || emulated ? wanted : MEMORY_EXTENT_FEW_CACHES * cache;
    return bytes < INT64_C(2) * MEMORY_EXTENT_UNIT || bytes < least / MEMORY_EXTENT_UNIT * MEMORY_EXTENT_UNIT ? -ENOMEM
                                                                                                              : 0;
}
