// SPDX-License-Identifier: Apache-2.0
#include "core/topology/topology.h"

#include <stdlib.h>

#include "core/topology/topology_parts.h"

void topology_free(struct topology *t)
{
    free(t->cpus);
    free(t->nodes);
    free(t->distance);
    *t = (struct topology){0};
}

// Both structs begin with their number, and both arrays are in its order.
static int topology_compare_ids(const void *key, const void *entry)
{
    return *(const int *)key - *(const int *)entry;
}

struct topology_cpu *topology_cpu_entry(struct topology *t, int id)
{
    return t->cpus ? bsearch(&id, t->cpus, t->cpu_count, sizeof *t->cpus, topology_compare_ids) : NULL;
}

struct topology_node *topology_node_entry(struct topology *t, int id)
{
    return t->nodes ? bsearch(&id, t->nodes, t->node_count, sizeof *t->nodes, topology_compare_ids) : NULL;
}

const struct topology_cpu *topology_cpu(const struct topology *t, int id)
{
    return t->cpus ? bsearch(&id, t->cpus, t->cpu_count, sizeof *t->cpus, topology_compare_ids) : NULL;
}

const struct topology_node *topology_node(const struct topology *t, int id)
{
    return t->nodes ? bsearch(&id, t->nodes, t->node_count, sizeof *t->nodes, topology_compare_ids) : NULL;
}

bool topology_node_is_empty(const struct topology_node *node)
{
    return node->mem_bytes == 0 && node->cpus_told && cpulist_next(&node->cpus, 0) < 0;
}

int topology_distance(const struct topology *t, int from_node, int to_node)
{
    const struct topology_node *from = topology_node(t, from_node), *to = topology_node(t, to_node);
    return from && to ? t->distance[(size_t)(from - t->nodes) * t->node_count + (size_t)(to - t->nodes)]
                      : TOPOLOGY_UNKNOWN;
}

bool topology_is_flat(const struct topology *t)
{
    for (size_t i = 0; i < t->node_count * t->node_count; i++)
        if (t->distance[i] != 10)
            return false;
    return t->node_count > 1;
}

const char *topology_memory_name(enum topology_memory memory)
{
    static const char *const names[] = {
        [TOPOLOGY_MEMORY_NONE] = "none",           [TOPOLOGY_MEMORY_DRAM] = "DRAM", [TOPOLOGY_MEMORY_HBM] = "HBM",
        [TOPOLOGY_MEMORY_CXL] = "CXL",             [TOPOLOGY_MEMORY_PERSISTENT] = "persistent",
        [TOPOLOGY_MEMORY_GPU] = "GPU",             [TOPOLOGY_MEMORY_UNTOLD] = "untold",
    };
    return names[memory];
}

size_t topology_package_nodes_before(const struct topology *t, size_t index)
{
    const int package = t->nodes[index].package;
    size_t count = 0;
    for (size_t i = 0; i < index && package != TOPOLOGY_UNKNOWN; i++)
        count += t->nodes[i].package == package;
    return count;
}

bool topology_is_slow_tier(const struct topology *t, int node)
{
    const struct topology_node *found = topology_node(t, node);
    return found && found->memory != TOPOLOGY_MEMORY_NONE && found->memory != TOPOLOGY_MEMORY_DRAM &&
           found->memory != TOPOLOGY_MEMORY_HBM;
}
