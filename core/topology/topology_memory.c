// SPDX-License-Identifier: Apache-2.0
// What the memory of nodes without CPUs is: told by the driver that brought it in, or by the firmware's bandwidths.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"
#include "core/topology/topology_parts.h"

// Read bandwidth in MB/s from the firmware's HMAT, seen from the best CPU (class 1) or the best initiator (class 0);
// the kernel's Documentation/admin-guide/mm/numaperf.rst. 0: not told.
static int64_t topology_memory_bandwidth(const struct topology_reader *r, int node)
{
    int64_t bandwidth;
    for (int class = 1; class >= 0; class--)
        if (sysfile_number(r->root, &bandwidth, "/sys/devices/system/node/node%d/access%d/initiators/read_bandwidth",
                           node, class) == 0)
            return bandwidth;
    return 0;
}

// A node keeps its links to CPUs that are offline: drivers/base/cpu.c.
static void topology_memory_linked(void *to, const char *name)
{
    if (strncmp(name, "cpu", 3) == 0 && isdigit((unsigned char)name[3]))
        ((struct topology_node *)to)->memory = TOPOLOGY_MEMORY_DRAM;
}

static bool topology_memory_is_plain(const struct topology_node *node)
{
    return node->memory == TOPOLOGY_MEMORY_DRAM;
}

// Called for every device of the dax bus: the memory of target_node came through it. Its place in the device tree
// names the bus behind: CXL's ACPI root is ACPI0017 and its regions are dax_region<N>; NVDIMM's bus is ndbus<N>.
static void topology_memory_dax(void *to, const char *device)
{
    struct topology_reader *r = to;
    int64_t target;
    char link[512];
    if (sysfile_number(r->root, &target, "/sys/bus/dax/devices/%s/target_node", device) < 0 ||
        sysfile_link(r->root, link, sizeof link, "/sys/bus/dax/devices/%s", device) < 0)
        return;
    struct topology_node *node = target >= 0 && target < CPULIST_MAX ? topology_node_entry(r->t, (int)target) : NULL;
    if (!node || node->memory != TOPOLOGY_MEMORY_UNTOLD)
        return;
    if (strstr(link, "/ACPI0017:") || strstr(link, "/dax_region"))
        node->memory = TOPOLOGY_MEMORY_CXL;
    else if (strstr(link, "/ndbus"))
        node->memory = TOPOLOGY_MEMORY_PERSISTENT;
}

// NVIDIA's driver tells the node of a GPU's memory: "Node: 255".
static void topology_memory_gpu(void *to, const char *device)
{
    struct topology_reader *r = to;
    char text[256];
    int id;
    if (sysfile_text(r->root, text, sizeof text, "/proc/driver/nvidia/gpus/%s/numa_status", device) < 0)
        return;
    const char *found = strstr(text, "Node:");
    struct topology_node *node =
        found && sscanf(found, "Node: %d", &id) == 1 ? topology_node_entry(r->t, id) : NULL;
    if (node && node->memory == TOPOLOGY_MEMORY_UNTOLD)
        node->memory = TOPOLOGY_MEMORY_GPU;
}

static void topology_memory_fast(struct topology_reader *r)
{
    struct topology *t = r->t;
    int64_t plain = 0;
    for (size_t i = 0; i < t->node_count; i++) {
        int64_t bandwidth = topology_memory_is_plain(&t->nodes[i]) ? topology_memory_bandwidth(r, t->nodes[i].id) : 0;
        plain = bandwidth > plain ? bandwidth : plain;
    }
    for (size_t i = 0; i < t->node_count && plain > 0; i++)
        if (t->nodes[i].memory == TOPOLOGY_MEMORY_UNTOLD && topology_memory_bandwidth(r, t->nodes[i].id) > plain)
            t->nodes[i].memory = TOPOLOGY_MEMORY_HBM;
}

void topology_memory_read(struct topology_reader *r)
{
    struct topology *t = r->t;
    for (size_t i = 0; i < t->node_count; i++) {
        struct topology_node *node = &t->nodes[i];
        bool has_cpus = cpulist_count(&node->cpus) > 0 || cpulist_has(&r->twins, node->id);
        node->memory = node->mem_bytes == 0 ? TOPOLOGY_MEMORY_NONE
                       : has_cpus           ? TOPOLOGY_MEMORY_DRAM
                                            : TOPOLOGY_MEMORY_UNTOLD;
        if (node->memory == TOPOLOGY_MEMORY_UNTOLD)
            sysfile_names(r->root, topology_memory_linked, node, "/sys/devices/system/node/node%d", node->id);
    }
    sysfile_names(r->root, topology_memory_dax, r, "/sys/bus/dax/devices");
    sysfile_names(r->root, topology_memory_gpu, r, "/proc/driver/nvidia/gpus");
    topology_memory_fast(r);
}
