// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/import_machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/system/sysfile.h"

static bool import_machine_has_package(const struct perf_features *features, int cpu)
{
    return features->cpus && (size_t)cpu < features->cpu_count && features->cpus[cpu].core >= 0;
}

// Number of the CPU among those of its core, from 0.
static int import_machine_thread(const struct topology *topology, const struct topology_cpu *cpu)
{
    int rank = 0;
    if (cpu->core < 0)
        return TOPOLOGY_UNKNOWN;
    for (size_t i = 0; i < topology->cpu_count; i++)
        rank += topology->cpus[i].package == cpu->package && topology->cpus[i].core == cpu->core;
    return rank;
}

static void import_machine_add_cpus(struct topology *topology, const struct perf_features *features,
                                    const struct topology_node *node)
{
    for (int id = cpulist_next(&node->cpus, 0); id >= 0; id = cpulist_next(&node->cpus, id + 1)) {
        const bool is_placed = import_machine_has_package(features, id);
        struct topology_cpu cpu = {
            .id = id,
            .node = node->id,
            .package = is_placed ? features->cpus[id].package : TOPOLOGY_UNKNOWN,
            .core = is_placed ? features->cpus[id].core : TOPOLOGY_UNKNOWN,
            .online = true,
            .allowed = true,
        };
        if (cpulist_has(&topology->allowed_cpus, id))
            continue; // a CPU is of one node
        cpu.thread = import_machine_thread(topology, &cpu);
        cpulist_add(&topology->allowed_cpus, id);
        topology->cpus[topology->cpu_count++] = cpu;
    }
}

static int import_machine_package_of(const struct topology *topology, int node)
{
    int package = TOPOLOGY_UNKNOWN;
    for (size_t i = 0; i < topology->cpu_count; i++) {
        if (topology->cpus[i].node != node)
            continue;
        if (package != TOPOLOGY_UNKNOWN && package != topology->cpus[i].package)
            return TOPOLOGY_UNKNOWN;
        package = topology->cpus[i].package;
    }
    return package;
}

static int import_machine_compare_cpus(const void *a, const void *b)
{
    return ((const struct topology_cpu *)a)->id - ((const struct topology_cpu *)b)->id;
}

static int import_machine_compare_nodes(const void *a, const void *b)
{
    return ((const struct topology_node *)a)->id - ((const struct topology_node *)b)->id;
}

static enum topology_memory import_machine_memory(const struct topology_node *node)
{
    if (node->mem_bytes == 0)
        return TOPOLOGY_MEMORY_NONE;
    return cpulist_count(&node->cpus) > 0 ? TOPOLOGY_MEMORY_DRAM : TOPOLOGY_MEMORY_UNTOLD;
}

static void import_machine_add_node(struct topology *topology, const struct perf_features *features,
                                    const struct perf_features_node *from)
{
    struct topology_node *node = &topology->nodes[topology->node_count++];
    *node = (struct topology_node){
        .id = from->id,
        .allowed = true,
        .mem_bytes = (int64_t)(from->mem_bytes & INT64_MAX),
        .free_bytes = (int64_t)(from->free_bytes & INT64_MAX),
        .llc_bytes = TOPOLOGY_UNKNOWN,
        .cpus_told = true,
    };
    if (cpulist_parse(&node->cpus, from->cpus) < 0)
        memset(&node->cpus, 0, sizeof node->cpus);
    node->memory = import_machine_memory(node);
    cpulist_add(&topology->allowed_nodes, node->id);
    import_machine_add_cpus(topology, features, node);
}

static int import_machine_of_file(struct topology *topology, const struct perf_features *features)
{
    topology->numa = true;
    topology->nodes = calloc(features->node_count + 1, sizeof *topology->nodes);
    topology->cpus = calloc(CPULIST_MAX, sizeof *topology->cpus);
    topology->distance = calloc((features->node_count + 1) * (features->node_count + 1), sizeof *topology->distance);
    if (!topology->nodes || !topology->cpus || !topology->distance)
        return -ENOMEM;
    for (size_t i = 0; i < features->node_count; i++)
        if (!cpulist_has(&topology->allowed_nodes, features->nodes[i].id))
            import_machine_add_node(topology, features, &features->nodes[i]);
    qsort(topology->nodes, topology->node_count, sizeof *topology->nodes, import_machine_compare_nodes);
    qsort(topology->cpus, topology->cpu_count, sizeof *topology->cpus, import_machine_compare_cpus);
    for (size_t i = 0; i < topology->node_count; i++)
        topology->nodes[i].package = import_machine_package_of(topology, topology->nodes[i].id);
    for (size_t i = 0; i < topology->node_count * topology->node_count; i++)
        topology->distance[i] = TOPOLOGY_UNKNOWN;
    return 0;
}

// Whether a snapshot is of the recorded machine: it has the nodes of the file, with the CPUs that the file gives them.
static bool import_machine_agrees(const struct topology *topology, const struct perf_features *features)
{
    struct cpulist told;
    for (size_t i = 0; i < features->node_count; i++) {
        const struct perf_features_node *from = &features->nodes[i];
        const struct topology_node *node = topology_node(topology, from->id);
        if (!node || (cpulist_parse(&told, from->cpus) == 0 && memcmp(&told, &node->cpus, sizeof told) != 0))
            return false;
    }
    return true;
}

struct import_machine_blocks {
    struct perf_features *features;
    int node, error;
};

// nodeN/memoryM is a link to a block of physical memory (Documentation/ABI/stable/sysfs-devices-node).
static void import_machine_see_block(void *to, const char *name)
{
    struct import_machine_blocks *blocks = to;
    uint64_t block;
    int length = 0;
    if (sscanf(name, "memory%" SCNu64 "%n", &block, &length) == 1 && length > 0 && !name[length] && !blocks->error)
        blocks->error = table_put(&blocks->features->node_of_block, block, (uint64_t)blocks->node);
}

static int import_machine_read_blocks(const struct topology *topology, struct perf_features *features, const char *root)
{
    struct import_machine_blocks blocks = {.features = features};
    char text[32];
    if (features->memory || sysfile_text(root, text, sizeof text, "/sys/devices/system/memory/block_size_bytes") < 0)
        return 0;
    features->block_bytes = strtoull(text, NULL, 16);
    for (size_t i = 0; i < topology->node_count; i++) {
        blocks.node = topology->nodes[i].id;
        sysfile_names(root, import_machine_see_block, &blocks, "/sys/devices/system/node/node%d", blocks.node);
    }
    return blocks.error;
}

static int import_machine_of_snapshot(struct topology *topology, struct perf_features *features, const char *root)
{
    int status = topology_read(topology, root);
    if (status < 0)
        return status;
    return import_machine_agrees(topology, features) ? import_machine_read_blocks(topology, features, root) : -EXDEV;
}

// x86: "GenuineIntel,6,85,7". Arm: MIDR_EL1 in hexadecimal, one for each kind of core. POWER: "004e,1202".
static void import_machine_identify(struct cpu_identity *identity, const struct perf_features *features)
{
    unsigned long long midr;
    unsigned version, revision;
    *identity = (struct cpu_identity){.family = -1, .model = -1, .stepping = -1};
    const char *id = features->cpu_id, *arch = features->arch ? features->arch : "";
    if (sscanf(id, "%23[A-Za-z],%d,%d,%d", identity->vendor, &identity->family, &identity->model,
               &identity->stepping) == 4)
        return;
    identity->vendor[0] = '\0';
    if (strncmp(arch, "aarch64", sizeof "aarch64") == 0 && sscanf(id, "0x%16llx", &midr) == 1) {
        // Implementer, variant, architecture, part, revision: Arm Architecture Reference Manual, MIDR_EL1.
        snprintf(identity->vendor, sizeof identity->vendor, "0x%02x", (unsigned)(midr >> 24 & 0xff));
        identity->family = 8;
        identity->model = (int)(midr >> 4 & 0xfff);
        identity->stepping = (int)(midr >> 20 & 0xf) * 16 + (int)(midr & 0xf);
    } else if (strncmp(arch, "ppc64", sizeof "ppc64" - 1) == 0 && sscanf(id, "%4x,%4x", &version, &revision) == 2) {
        snprintf(identity->vendor, sizeof identity->vendor, "IBM");
        identity->model = (int)version;
        identity->stepping = (int)revision;
    }
}

int import_machine_read(struct machine *machine, struct perf_features *features, const char *sysroot)
{
    *machine = (struct machine){0};
    int status = sysroot ? import_machine_of_snapshot(&machine->topology, features, sysroot)
                         : import_machine_of_file(&machine->topology, features);
    if (features->cpu_id)
        import_machine_identify(&machine->topology.cpu, features);
    return status;
}

bool import_machine_is_ours(const struct perf_features *features)
{
    struct utsname here;
    return features->arch && uname(&here) == 0 && strcmp(features->arch, here.machine) == 0;
}

bool import_machine_has_huge_pages(const struct perf_features *features)
{
    return features->arch && strcmp(features->arch, "x86_64") == 0;
}

// x86 has one size. Others: by the mappings, of which one among many is of an odd number of pages; without any, the
// size that most distributions choose.
int64_t import_machine_page_bytes(const struct perf_features *features, uint64_t whole_pages)
{
    enum { LEAST = 4096, MIDDLE = 16384, MOST = 65536 };
    const char *arch = features->arch ? features->arch : "";
    const bool is_power = strncmp(arch, "ppc64", 5) == 0;
    if (!is_power && strncmp(arch, "aarch64", 7) != 0)
        return LEAST;
    if (whole_pages == 0)
        return is_power ? MOST : LEAST;
    const uint64_t lowest = whole_pages & -whole_pages;
    return lowest >= MOST ? MOST : lowest >= MIDDLE ? MIDDLE : LEAST;
}
