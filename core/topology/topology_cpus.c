// SPDX-License-Identifier: Apache-2.0
// Which CPUs there are, and which of them share a core and a package.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"
#include "core/topology/thread_mask.h"
#include "core/topology/topology_parts.h"

// "processor : N", one line per online CPU; s390 writes "processor N: ".
static void topology_cpus_from_cpuinfo(struct topology_reader *r)
{
    char *text;
    if (sysfile_whole(r->root, &text, "/proc/cpuinfo") < 0)
        return;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        int number;
        if (sscanf(line, "processor : %d", &number) == 1 || sscanf(line, "processor %d:", &number) == 1)
            cpulist_add(&r->online, number);
    }
    free(text);
}

// The last resort, where not even /proc is there: the CPUs this process may run on.
static void topology_cpus_from_mask(struct topology_reader *r)
{
    if (*r->root == '\0')
        thread_mask_get(0, &r->online);
}

static void topology_cpus_add_folder(void *reader, const char *name)
{
    struct topology_reader *r = reader;
    int id, end = 0;
    if (sscanf(name, "cpu%d%n", &id, &end) == 1 && name[end] == '\0' && id >= 0 && id < CPULIST_MAX &&
        topology_number(r, 0, "/sys/devices/system/cpu/cpu%d/online", id) != 0) // offline CPUs keep their folder
        cpulist_add(&r->online, id);
}

// A node lists the CPUs that are online.
static void topology_cpus_add_node(void *reader, const char *name)
{
    struct topology_reader *r = reader;
    struct cpulist listed;
    int node, end = 0;
    const int bad_files = r->bad_files; // the nodes are read once more
    if (sscanf(name, "node%d%n", &node, &end) != 1 || name[end] != '\0' ||
        topology_cpu_set(r, &listed, TOPOLOGY_NODE_CPUS, "/sys/devices/system/node/node%d", node) < 0)
        listed = (struct cpulist){0};
    r->bad_files = bad_files;
    for (int id = cpulist_next(&listed, 0); id >= 0; id = cpulist_next(&listed, id + 1))
        cpulist_add(&r->online, id);
}

// A container's file system may number the CPUs anew (lxcfs: as many as the cpuset has, from 0 on), while the nodes,
// the folders of the CPUs and the affinity mask keep the kernel's numbers.
static void topology_cpus_find_hidden(struct topology_reader *r)
{
    const int shown = cpulist_count(&r->online);
    sysfile_names(r->root, topology_cpus_add_node, r, "/sys/devices/system/node");
    const int hidden = cpulist_count(&r->online) - shown;
    if (hidden > 0)
        topology_note(r->t, "/sys/devices/system/cpu/online leaves out %d CPU%s that the nodes list as online "
                            "(lxcfs in a container?): the nodes' lists are used", hidden, hidden > 1 ? "s" : "");
}

static int topology_cpus_find(struct topology_reader *r)
{
    if (topology_list(r, &r->online, "/sys/devices/system/cpu/online") == 0) {
        topology_cpus_find_hidden(r);
        return 0;
    }
    sysfile_names(r->root, topology_cpus_add_node, r, "/sys/devices/system/node");
    sysfile_names(r->root, topology_cpus_add_folder, r, "/sys/devices/system/cpu");
    const char *source = "the folders in /sys/devices/system/node and cpu";
    if (cpulist_count(&r->online) == 0) {
        topology_cpus_from_cpuinfo(r);
        source = "/proc/cpuinfo";
    }
    if (cpulist_count(&r->online) == 0) {
        topology_cpus_from_mask(r);
        source = "the inherited affinity mask";
    }
    if (cpulist_count(&r->online) == 0)
        return -ENODATA;
    topology_note(r->t, "/sys/devices/system/cpu/online cannot be read: the CPUs are those of %s", source);
    return 0;
}

// Every CPU of the machine starts with nothing known about it.
static int topology_cpus_allocate(struct topology_reader *r)
{
    struct cpulist present;
    topology_list(r, &present, "/sys/devices/system/cpu/present");
    for (int id = cpulist_next(&r->online, 0); id >= 0; id = cpulist_next(&r->online, id + 1))
        cpulist_add(&present, id);
    struct topology *t = r->t;
    t->cpus = calloc((size_t)cpulist_count(&present), sizeof *t->cpus);
    if (!t->cpus)
        return -ENOMEM;
    for (int id = cpulist_next(&present, 0); id >= 0; id = cpulist_next(&present, id + 1))
        t->cpus[t->cpu_count++] = (struct topology_cpu){
            .id = id, .node = TOPOLOGY_UNKNOWN, .package = TOPOLOGY_UNKNOWN, .core = TOPOLOGY_UNKNOWN,
            .thread = TOPOLOGY_UNKNOWN, .cache = TOPOLOGY_UNKNOWN, .online = cpulist_has(&r->online, id),
        };
    return 0;
}

// The CPUs of one core, itself among them.
static void topology_cpus_siblings(struct topology_reader *r, int id, struct cpulist *siblings)
{
    int status = topology_cpu_set(r, siblings, TOPOLOGY_CORE_CPUS, "/sys/devices/system/cpu/cpu%d/topology", id);
    r->cores_told |= status == 0;
    if (status == 0 && !cpulist_has(siblings, id))
        topology_bad_file(r, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", id);
    if (!cpulist_has(siblings, id)) {
        *siblings = (struct cpulist){0};
        cpulist_add(siblings, id);
    }
}

static void topology_cpus_number_core(struct topology_reader *r, int first, int core)
{
    struct cpulist siblings;
    topology_cpus_siblings(r, first, &siblings);
    int package =
        topology_number(r, TOPOLOGY_UNKNOWN, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", first);
    int thread = 0;
    for (int id = cpulist_next(&siblings, 0); id >= 0; id = cpulist_next(&siblings, id + 1)) {
        struct topology_cpu *cpu = topology_cpu_entry(r->t, id);
        if (!cpu || !cpu->online || cpu->core != TOPOLOGY_UNKNOWN)
            continue;
        cpu->package = package;
        cpu->core = core;
        cpu->thread = thread++;
    }
}

int topology_cpus_read(struct topology_reader *r)
{
    int status = topology_cpus_find(r);
    if (status < 0)
        return status;
    if ((status = topology_cpus_allocate(r)) < 0)
        return status;
    int core = 0;
    for (size_t i = 0; i < r->t->cpu_count; i++)
        if (r->t->cpus[i].online && r->t->cpus[i].core == TOPOLOGY_UNKNOWN)
            topology_cpus_number_core(r, r->t->cpus[i].id, core++);
    if (!r->cores_told)
        topology_note(r->t, "no file tells which CPUs share a core: each counts as a core of its own");
    return 0;
}
