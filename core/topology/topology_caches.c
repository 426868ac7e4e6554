// SPDX-License-Identifier: Apache-2.0
// Last-level caches. Each is read once, from the first of its CPUs, and divided among the nodes it serves.
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"
#include "core/topology/topology_parts.h"

// The index of the highest cache level of this CPU, or -1. Levels rise with the index.
static int topology_caches_last_index(const struct topology_reader *r, int cpu)
{
    enum { INDEXES = 16 };
    int next = 0;
    int64_t level;
    while (next < INDEXES &&
           sysfile_number(r->root, &level, "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, next) == 0)
        next++;
    return next - 1;
}

// "32768K". The bound keeps what is computed from it far from overflow.
static int64_t topology_caches_size(const struct topology_reader *r, int cpu, int index)
{
    char text[32], *unit;
    if (sysfile_text(r->root, text, sizeof text, "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, index) < 0)
        return TOPOLOGY_UNKNOWN;
    long long kilobytes = strtoll(text, &unit, 10);
    bool valid = kilobytes > 0 && kilobytes < INT64_C(1) << 30 && strcmp(unit, "K") == 0;
    return valid ? kilobytes * 1024 : TOPOLOGY_UNKNOWN;
}

// One CPU of each core, where a cache serves several: some cores may have fewer hyperthreads online than others.
static struct cpulist topology_caches_cores(const struct topology *t, const struct cpulist *shared)
{
    struct cpulist cores = *shared;
    for (int id = cpulist_next(shared, 0); id >= 0; id = cpulist_next(shared, id + 1)) {
        const struct topology_cpu *cpu = topology_cpu(t, id);
        if (cpu && cpu->thread > 0)
            cpulist_remove(&cores, id);
    }
    return cpulist_count(&cores) > 0 ? cores : *shared;
}

// Gives each node its cores' share of one cache, so that the shares add up to its size.
static void topology_caches_divide(struct topology *t, int64_t size, const struct cpulist *shared)
{
    const struct cpulist cores = topology_caches_cores(t, shared);
    int64_t count = cpulist_count(&cores), given = 0, rank = 0;
    for (int id = cpulist_next(&cores, 0); id >= 0; id = cpulist_next(&cores, id + 1)) {
        int64_t until = size * ++rank / count;
        const struct topology_cpu *cpu = topology_cpu(t, id);
        struct topology_node *node = cpu ? topology_node_entry(t, cpu->node) : NULL;
        if (node)
            node->llc_bytes += until - given;
        given = until;
    }
}

static void topology_caches_name(struct topology *t, const struct cpulist *shared)
{
    const int first = cpulist_next(shared, 0);
    for (size_t i = 0; i < t->cpu_count; i++)
        if (cpulist_has(shared, t->cpus[i].id))
            t->cpus[i].cache = first;
}

static void topology_caches_read_one(struct topology_reader *r, int cpu, struct cpulist *seen)
{
    struct cpulist shared;
    int index = topology_caches_last_index(r, cpu);
    if (index < 0)
        return;
    int64_t size = topology_caches_size(r, cpu, index);
    if (topology_cpu_set(r, &shared, TOPOLOGY_CACHE_CPUS, "/sys/devices/system/cpu/cpu%d/cache/index%d", cpu,
                         index) < 0 ||
        !cpulist_has(&shared, cpu))
        return;
    for (int id = cpulist_next(&shared, 0); id >= 0; id = cpulist_next(&shared, id + 1))
        cpulist_add(seen, id);
    topology_caches_name(r->t, &shared);
    if (size != TOPOLOGY_UNKNOWN)
        topology_caches_divide(r->t, size, &shared);
}

void topology_caches_read(struct topology_reader *r)
{
    struct cpulist seen = {0};
    for (int id = cpulist_next(&r->online, 0); id >= 0; id = cpulist_next(&r->online, id + 1))
        if (!cpulist_has(&seen, id))
            topology_caches_read_one(r, id, &seen);
    for (size_t i = 0; i < r->t->node_count; i++)
        if (r->t->nodes[i].llc_bytes == 0)
            r->t->nodes[i].llc_bytes = TOPOLOGY_UNKNOWN;
}
