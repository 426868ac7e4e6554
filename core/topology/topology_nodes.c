// SPDX-License-Identifier: Apache-2.0
// Nodes: their CPUs, memory and distances.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"
#include "core/topology/topology_parts.h"

// ACPI's SLIT holds bytes; a device tree may hold more.
enum { TOPOLOGY_NODES_MAX_DISTANCE = 65535 };
// The kernel's largest MAX_NUMNODES (NODES_SHIFT 10 on x86 and arm64).
enum { TOPOLOGY_NODES_MAX = 1024 };

static void topology_nodes_memory(struct topology_reader *r, struct topology_node *node)
{
    node->mem_bytes = node->free_bytes = TOPOLOGY_UNKNOWN;
    char *text;
    int status = r->t->numa ? sysfile_whole(r->root, &text, "/sys/devices/system/node/node%d/meminfo", node->id)
                            : sysfile_whole(r->root, &text, "/proc/meminfo");
    if (status < 0)
        return;
    node->mem_bytes = topology_meminfo(text, "MemTotal:");
    node->free_bytes = topology_meminfo(text, "MemFree:");
    free(text);
    if (node->mem_bytes == TOPOLOGY_UNKNOWN && r->t->numa)
        topology_bad_file(r, "/sys/devices/system/node/node%d/meminfo", node->id);
}

static void topology_nodes_cpus(struct topology_reader *r, struct topology_node *node)
{
    struct cpulist listed = r->online;
    node->cpus_told =
        !r->t->numa ||
        topology_cpu_set(r, &listed, TOPOLOGY_NODE_CPUS, "/sys/devices/system/node/node%d", node->id) == 0;
    for (int id = cpulist_next(&listed, 0); id >= 0; id = cpulist_next(&listed, id + 1)) {
        struct topology_cpu *cpu = topology_cpu_entry(r->t, id);
        if (!cpu || !cpu->online)
            continue;
        if (cpu->node != TOPOLOGY_UNKNOWN) {
            cpulist_add(&r->twins, node->id);
            continue;
        }
        cpu->node = node->id;
        cpulist_add(&node->cpus, id);
    }
    node->cpus_told &= !cpulist_has(&r->twins, node->id);
}

// A CPU whose package is not told speaks neither for one nor for several.
static int topology_nodes_package(const struct topology *t, const struct topology_node *node)
{
    int package = TOPOLOGY_UNKNOWN;
    for (int id = cpulist_next(&node->cpus, 0); id >= 0; id = cpulist_next(&node->cpus, id + 1)) {
        int its = topology_cpu(t, id)->package;
        if (its != TOPOLOGY_UNKNOWN && package != TOPOLOGY_UNKNOWN && its != package)
            return TOPOLOGY_UNKNOWN;
        package = its != TOPOLOGY_UNKNOWN ? its : package;
    }
    return package;
}

// Parses one row of distances. Returns how many numbers it holds, or -EINVAL.
static int topology_nodes_parse_row(const char *text, int *row, size_t max)
{
    size_t count = 0;
    for (;;) {
        while (*text == ' ')
            text++;
        if (*text == '\0')
            return (int)count;
        char *end;
        long value = strtol(text, &end, 10);
        if (end == text || value < 1 || value > TOPOLOGY_NODES_MAX_DISTANCE || count == max)
            return -EINVAL;
        row[count++] = (int)value;
        text = end;
    }
}

static void topology_nodes_distances(struct topology_reader *r, size_t from)
{
    struct topology *t = r->t;
    int *row = t->distance + from * t->node_count, id = t->nodes[from].id;
    char *text;
    int count = -ENOENT;
    if (t->numa && sysfile_whole(r->root, &text, "/sys/devices/system/node/node%d/distance", id) >= 0) {
        count = topology_nodes_parse_row(text, row, t->node_count);
        free(text);
        if (count != (int)t->node_count)
            topology_bad_file(r, "/sys/devices/system/node/node%d/distance", id);
    }
    if (count != (int)t->node_count)
        for (size_t to = 0; to < t->node_count; to++)
            row[to] = TOPOLOGY_UNKNOWN;
}

static void topology_nodes_add_folder(void *online, const char *name)
{
    int id, end = 0;
    if (sscanf(name, "node%d%n", &id, &end) == 1 && name[end] == '\0' && id >= 0 && id < TOPOLOGY_NODES_MAX)
        cpulist_add(online, id);
}

// Some snapshots have the folders of the nodes only; each node that is online has one.
static void topology_nodes_from_folders(struct topology_reader *r, struct cpulist *online)
{
    sysfile_names(r->root, topology_nodes_add_folder, online, "/sys/devices/system/node");
    if (cpulist_count(online) > 0)
        topology_note(r->t, "/sys/devices/system/node/online cannot be read: the nodes are those with a folder");
}

// The numbers of the online nodes; for a kernel without NUMA, node 0 stands for the machine.
static void topology_nodes_find(struct topology_reader *r, struct cpulist *online)
{
    struct topology *t = r->t;
    if (topology_list(r, online, "/sys/devices/system/node/online") < 0)
        topology_nodes_from_folders(r, online);
    bool too_large = cpulist_next(online, TOPOLOGY_NODES_MAX) >= 0;
    if (too_large)
        topology_bad_file(r, "/sys/devices/system/node/online");
    t->numa = cpulist_count(online) > 0 && !too_large;
    if (!t->numa) {
        *online = (struct cpulist){0};
        cpulist_add(online, 0);
        topology_note(t, "the kernel shows no nodes (/sys/devices/system/node): all CPUs and memory count as node 0");
        return;
    }
    struct cpulist possible;
    topology_list(r, &possible, "/sys/devices/system/node/possible");
    for (int id = cpulist_next(&possible, 0); id >= 0; id = cpulist_next(&possible, id + 1))
        if (!cpulist_has(online, id))
            cpulist_add(&t->offline_nodes, id);
}

int topology_nodes_read(struct topology_reader *r)
{
    struct topology *t = r->t;
    struct cpulist online;
    topology_nodes_find(r, &online);
    size_t count = (size_t)cpulist_count(&online);
    t->nodes = calloc(count, sizeof *t->nodes);
    t->distance = calloc(count * count, sizeof *t->distance);
    if (!t->nodes || !t->distance)
        return -ENOMEM;
    for (int id = cpulist_next(&online, 0); id >= 0; id = cpulist_next(&online, id + 1)) {
        struct topology_node *node = &t->nodes[t->node_count++];
        node->id = id;
        topology_nodes_memory(r, node);
        topology_nodes_cpus(r, node);
        node->package = topology_nodes_package(t, node);
    }
    for (size_t from = 0; from < t->node_count; from++)
        topology_nodes_distances(r, from);
    return 0;
}
