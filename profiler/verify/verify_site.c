// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify_site.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/topology/thread_mask.h"
#include "profiler/measure/memory/memory_extent.h"

int verify_site_cpu(const struct topology *t, int id)
{
    const struct topology_node *node = topology_node(t, id);
    for (int cpu = node ? cpulist_next(&node->cpus, 0) : -1; cpu >= 0; cpu = cpulist_next(&node->cpus, cpu + 1))
        if (cpulist_has(&t->allowed_cpus, cpu))
            return cpu;
    return -1;
}

int verify_site_neighbour(const struct topology *t, int cpu)
{
    const struct topology_cpu *own = topology_cpu(t, cpu);
    int neighbour = -1;
    for (size_t i = 0; own && i < t->cpu_count; i++) {
        const struct topology_cpu *other = &t->cpus[i];
        if (other->id == cpu || !other->online || !other->allowed || other->node != own->node)
            continue;
        if (other->core == own->core)
            return other->id;
        neighbour = neighbour < 0 ? other->id : neighbour;
    }
    return neighbour;
}

enum verify_where verify_site_where(const struct topology *t, int from, int to)
{
    const struct topology_node *a = topology_node(t, from), *b = topology_node(t, to);
    if (from == to)
        return VERIFY_OWN;
    // The kernel names no package for memory without CPUs.
    bool near = a && b && a->package != TOPOLOGY_UNKNOWN &&
                (a->package == b->package || b->package == TOPOLOGY_UNKNOWN);
    return near ? VERIFY_NEAR : VERIFY_FAR;
}

enum verify_where verify_site_link(const struct topology *t, int from, int tier)
{
    const struct topology_node *own = topology_node(t, from), *nearest = NULL;
    int least = INT_MAX;
    bool is_tied = false; // between packages
    for (size_t i = 0; i < t->node_count; i++) {
        const struct topology_node *node = &t->nodes[i];
        const int distance = topology_distance(t, node->id, tier);
        if (cpulist_count(&node->cpus) == 0 || distance == TOPOLOGY_UNKNOWN || distance > least)
            continue;
        is_tied = nearest && distance == least && (is_tied || node->package != nearest->package);
        least = distance;
        nearest = node;
    }
    if (!own || !nearest || is_tied || own->package == TOPOLOGY_UNKNOWN)
        return VERIFY_NEAR;
    return own->package == nearest->package ? VERIFY_OWN : VERIFY_FAR;
}

int verify_site_beside(const struct topology *t, int cpu)
{
    const struct topology_cpu *own = topology_cpu(t, cpu);
    for (size_t i = 0; own && i < t->cpu_count; i++) {
        const struct topology_cpu *other = &t->cpus[i];
        if (other->online && other->allowed && other->node == own->node && other->core != own->core)
            return other->id;
    }
    return -1;
}

int verify_site_other(const struct topology *t, int node, enum verify_where *where)
{
    int found = -1;
    *where = VERIFY_OWN;
    for (size_t i = 0; i < t->node_count; i++) {
        const int id = t->nodes[i].id, cpu = id == node ? -1 : verify_site_cpu(t, id);
        if (cpu < 0 || (found >= 0 && verify_site_where(t, node, id) != VERIFY_FAR))
            continue;
        found = cpu;
        *where = verify_site_where(t, node, id);
        if (*where == VERIFY_FAR)
            break;
    }
    return found;
}

static int site_check(struct verify *verify, const struct topology *t, const struct cpulist *nodes, int node,
                      const struct memory_bound *bound)
{
    struct memory_bound_report report;
    int status = memory_bound_verify(bound, nodes, &report);
    if (status < 0 && t->numa)
        verify_note(verify, "memory of node %d is left out: move_pages is forbidden here (a container's filter?), so "
                            "nobody knows where it is", node);
    else if (status == 0 && report.right != report.pages)
        verify_note(verify, "memory of node %d is left out: only %zu of %zu pages came to be there%s", node,
                    report.right, report.pages, bound->is_bound ? "" : "; mbind is forbidden here");
    else
        return 0; // also of a kernel without NUMA, which has one node only
    return status < 0 ? status : -EXDEV;
}

int verify_site_memory(struct verify *verify, const struct topology *t, int node, size_t bytes,
                       struct memory_bound *bound)
{
    struct cpulist nodes = {0};
    cpulist_add(&nodes, node);
    int64_t spare = memory_extent_spare(t, "", &nodes);
    if (spare < (int64_t)bytes) {
        verify_note(verify, "memory of node %d is left out: %zu MiB are needed, %lld MiB can be spared", node,
                    bytes >> 20, (long long)(spare >> 20));
        return -ENOMEM;
    }
    int status = memory_bound_map(bound, bytes, &nodes, true);
    if (status < 0) {
        verify_note(verify, "memory of node %d is left out: %zu MiB cannot be mapped: %s (see ulimit -v)", node,
                    bytes >> 20, strerror(-status));
        return status;
    }
    const int cpu = verify_site_cpu(t, node); // without mbind, the first touch from there decides
    if (cpu >= 0)
        thread_mask_bind(0, cpu);
    memory_bound_touch(bound, 0, bytes);
    status = site_check(verify, t, &nodes, node, bound);
    if (status < 0)
        memory_bound_unmap(bound);
    return status;
}
