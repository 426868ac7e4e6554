// SPDX-License-Identifier: Apache-2.0
// What a reader of the topology should know before trusting it or a measurement on this machine: one note each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"
#include "core/topology/topology_parts.h"

// Lists in notes are cut off: the full ones stand in the struct.
enum { TOPOLOGY_REMARKS_LIST_BYTES = 80 };

// "node 3" ONE TEXT or "nodes 3,5" SEVERAL TEXT; nothing for an empty set.
static void topology_remarks_about(struct topology *t, const char *noun, const struct cpulist *set, const char *one,
                                   const char *several, const char *text)
{
    char list[TOPOLOGY_REMARKS_LIST_BYTES];
    int count = cpulist_count(set);
    if (count > 0)
        topology_note(t, "%s%s %s%s%s", noun, count > 1 ? "s" : "", cpulist_shorten(list, sizeof list, set),
                      count > 1 ? several : one, text);
}

// The numbers of the nodes that test picks.
static struct cpulist topology_remarks_nodes(const struct topology *t, bool (*test)(const struct topology *,
                                                                                     const struct topology_node *))
{
    struct cpulist set = {0};
    for (size_t i = 0; i < t->node_count; i++)
        if (test(t, &t->nodes[i]))
            cpulist_add(&set, t->nodes[i].id);
    return set;
}

static bool topology_remarks_has_no_cpus(const struct topology_node *node)
{
    return node->cpus_told && cpulist_next(&node->cpus, 0) < 0;
}

static bool topology_remarks_has_cpus(const struct topology_node *node)
{
    return cpulist_next(&node->cpus, 0) >= 0;
}

static bool topology_remarks_only_memory(const struct topology_node *node)
{
    return node->mem_bytes > 0 && topology_remarks_has_no_cpus(node);
}

static bool topology_remarks_only_cpus(const struct topology *t, const struct topology_node *node)
{
    (void)t;
    return node->mem_bytes == 0 && topology_remarks_has_cpus(node);
}

static bool topology_remarks_is_empty(const struct topology *t, const struct topology_node *node)
{
    (void)t;
    return topology_node_is_empty(node);
}

static bool topology_remarks_has_allowed_cpu(const struct topology *t, const struct topology_node *node)
{
    for (int id = cpulist_next(&node->cpus, 0); id >= 0; id = cpulist_next(&node->cpus, id + 1))
        if (cpulist_has(&t->allowed_cpus, id))
            return true;
    return false;
}

static bool topology_remarks_mask_excludes(const struct topology *t, const struct topology_node *node)
{
    return topology_remarks_has_cpus(node) && !topology_remarks_has_allowed_cpu(t, node);
}

static bool topology_remarks_cpuset_excludes(const struct topology *t, const struct topology_node *node)
{
    return node->mem_bytes != 0 && !node->allowed && !topology_remarks_has_allowed_cpu(t, node);
}

static bool topology_remarks_forced_remote(const struct topology *t, const struct topology_node *node)
{
    return node->mem_bytes != 0 && !node->allowed && topology_remarks_has_allowed_cpu(t, node);
}

static bool topology_remarks_spans_packages(const struct topology *t, const struct topology_node *node)
{
    int first = cpulist_next(&node->cpus, 0);
    return first >= 0 && node->package == TOPOLOGY_UNKNOWN && topology_cpu(t, first)->package != TOPOLOGY_UNKNOWN;
}

static void topology_remarks_memory(struct topology *t)
{
    static const struct {
        enum topology_memory kind;
        const char *text;
    } kinds[] = {
        {TOPOLOGY_MEMORY_DRAM, " memory, and CPUs that are all offline"},
        {TOPOLOGY_MEMORY_HBM, " memory but no CPUs (high-bandwidth memory, by the firmware's bandwidths)"},
        {TOPOLOGY_MEMORY_CXL, " memory but no CPUs (CXL)"},
        {TOPOLOGY_MEMORY_PERSISTENT, " memory but no CPUs (persistent memory used as RAM)"},
        {TOPOLOGY_MEMORY_GPU, " memory but no CPUs (memory of a GPU)"},
        {TOPOLOGY_MEMORY_UNTOLD, " memory but no CPUs (the kernel does not tell its kind: CXL, HBM, a device's, or "
                                  "DRAM whose CPUs are not this system's)"},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct cpulist set = {0};
        for (size_t i = 0; i < t->node_count; i++)
            if (t->nodes[i].memory == kinds[k].kind && topology_remarks_only_memory(&t->nodes[i]))
                cpulist_add(&set, t->nodes[i].id);
        topology_remarks_about(t, "node", &set, " has", " have", kinds[k].text);
    }
}

// Packages that hold more than one node with CPUs: Intel calls it sub-NUMA clustering, AMD nodes per socket.
static void topology_remarks_clusters(struct topology *t)
{
    static const char text[] = " several nodes (sub-NUMA clusters, or a hypervisor's numbers): a remote access may "
                               "stay inside the package";
    struct cpulist split = {0};
    for (size_t i = 0; i < t->node_count; i++) {
        if (topology_package_nodes_before(t, i) != 1)
            continue;
        if (t->nodes[i].package < CPULIST_MAX)
            cpulist_add(&split, t->nodes[i].package);
        else
            topology_note(t, "package %d holds%s", t->nodes[i].package, text);
    }
    topology_remarks_about(t, "package", &split, " holds", " hold", text);
}

// AMD's firmware can make a node of every last-level cache (ACPI SRAT L3 cache as NUMA domain); no vendor splits the
// memory of a package into more than four clusters.
static void topology_remarks_caches(struct topology *t)
{
    size_t most = 0;
    for (size_t i = 0; i < t->node_count; i++) {
        size_t nodes = topology_package_nodes_before(t, i) + 1;
        most = nodes > most ? nodes : most;
    }
    if (most > 4)
        topology_note(t, "%zu nodes in one package (the firmware makes nodes of caches?): they may share its memory "
                         "channels, so that events count memory of a sibling node as local", most);
}

static void topology_remarks_cpus(struct topology *t)
{
    struct cpulist offline = {0}, homeless = {0};
    for (size_t i = 0; i < t->cpu_count; i++)
        if (!t->cpus[i].online)
            cpulist_add(&offline, t->cpus[i].id);
        else if (t->cpus[i].node == TOPOLOGY_UNKNOWN)
            cpulist_add(&homeless, t->cpus[i].id);
    topology_remarks_about(t, "CPU", &offline, " is", " are", " offline");
    topology_remarks_about(t, "CPU", &homeless, " belongs", " belong", " to no node the kernel names");
    topology_remarks_about(t, "node", &t->offline_nodes, " is", " are", " possible but offline");
}

static void topology_remarks_nodes_alike(struct topology *t)
{
    struct cpulist set = topology_remarks_nodes(t, topology_remarks_only_cpus);
    topology_remarks_about(t, "node", &set, " has", " have", " CPUs but no memory: all their memory is remote");
    set = topology_remarks_nodes(t, topology_remarks_is_empty);
    topology_remarks_about(t, "node", &set, " has", " have", " neither CPUs nor memory");
    set = topology_remarks_nodes(t, topology_remarks_spans_packages);
    topology_remarks_about(t, "node", &set, " spans", " span",
                           " several packages (NUMA off in the firmware or by numa=off, or a hypervisor's numbers?): "
                           "what is remote between them cannot be seen");
}

static void topology_remarks_allowed(struct topology *t)
{
    struct cpulist set = topology_remarks_nodes(t, topology_remarks_mask_excludes);
    topology_remarks_about(t, "inherited mask excludes the CPUs of node", &set, "", "", "");
    set = topology_remarks_nodes(t, topology_remarks_cpuset_excludes);
    topology_remarks_about(t, "cpuset excludes the memory of node", &set, "", "", "");
    set = topology_remarks_nodes(t, topology_remarks_forced_remote);
    topology_remarks_about(t, "cpuset excludes the memory of node", &set, " but not its", " but not their",
                           " CPUs: they can only use remote memory");
}

static void topology_remarks_isolated(struct topology_reader *r)
{
    struct cpulist isolated;
    topology_list(r, &isolated, "/sys/devices/system/cpu/isolated");
    topology_remarks_about(r->t, "CPU", &isolated, " is", " are",
                           " isolated (isolcpus): the scheduler puts no thread there; taskset -c LIST numaprof may");
}

// What the nodes hold must add up to what the machine has.
static void topology_remarks_total(struct topology_reader *r)
{
    struct topology *t = r->t;
    char *text;
    if (!t->numa || sysfile_whole(r->root, &text, "/proc/meminfo") < 0)
        return;
    int64_t total = topology_meminfo(text, "MemTotal:"), sum = 0;
    free(text);
    for (size_t i = 0; i < t->node_count && total > 0; i++) {
        if (t->nodes[i].mem_bytes == TOPOLOGY_UNKNOWN || sum > INT64_MAX - t->nodes[i].mem_bytes)
            return;
        sum += t->nodes[i].mem_bytes;
    }
    if (total > 0 && (sum < total - total / 10 || sum - total / 10 > total))
        topology_note(t, "the nodes' memory adds up to %.1f GiB, but /proc/meminfo tells %.1f GiB (a balloon, or a "
                         "container's limit?): do not trust the sizes",
                      (double)sum / (1 << 30), (double)total / (1 << 30));
}

void topology_remarks_add(struct topology_reader *r)
{
    struct topology *t = r->t;
    topology_remarks_clusters(t);
    topology_remarks_caches(t);
    topology_remarks_about(t, "node", &r->twins, " lists", " list",
                           " CPUs that another node lists as well (numa=fake?): the memory of both is local to them");
    if (topology_is_flat(t))
        topology_note(t, "all distances are 10, between different nodes as well: they do not tell near from far");
    topology_remarks_memory(t);
    topology_remarks_nodes_alike(t);
    topology_remarks_cpus(t);
    topology_remarks_isolated(r);
    topology_remarks_allowed(t);
    topology_remarks_total(r);
    if (t->node_count == 1 && t->nodes[0].package != TOPOLOGY_UNKNOWN)
        topology_note(t, "one node: no memory can be remote here");
    if (r->bad_files > 1)
        topology_note(t, "%s does not hold what it should and is ignored, as %s %d more file%s", r->first_bad,
                      r->bad_files == 2 ? "is" : "are", r->bad_files - 1, r->bad_files == 2 ? "" : "s");
    else if (r->bad_files == 1)
        topology_note(t, "%s does not hold what it should and is ignored", r->first_bad);
}
