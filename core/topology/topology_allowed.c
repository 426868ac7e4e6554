// SPDX-License-Identifier: Apache-2.0
// What this process may use: the affinity mask it inherited, and the nodes its cpuset lets it take memory from.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"
#include "core/topology/thread_mask.h"
#include "core/topology/topology_parts.h"

// The list in a line "KEY:<tab>LIST" of /proc/self/status.
static int topology_allowed_line(struct topology_reader *r, const char *status_text, const char *key,
                                 struct cpulist *set)
{
    const char *found = strstr(status_text, key);
    if (!found)
        return -ENOENT;
    found += strlen(key);
    found += strspn(found, "\t ");
    char *list = strndup(found, strcspn(found, " \r\n"));
    int status = list ? cpulist_parse(set, list) : -ENOMEM;
    free(list);
    if (status == 0 && cpulist_count(set) == 0) // the kernel never writes an empty one
        status = -EINVAL;
    if (status < 0)
        topology_bad_file(r, "/proc/self/status");
    return status;
}

static void topology_allowed_cpus(struct topology_reader *r, const char *status_text)
{
    struct topology *t = r->t;
    struct cpulist mask = {0};
    bool live = *r->root == '\0' && thread_mask_get(r->pid, &mask) == 0;
    t->allowed_cpus = (struct cpulist){0};
    if (!live && topology_allowed_line(r, status_text, "Cpus_allowed_list:", &mask) < 0)
        mask = r->online;
    for (size_t i = 0; i < t->cpu_count; i++) {
        t->cpus[i].allowed = t->cpus[i].online && cpulist_has(&mask, t->cpus[i].id);
        if (t->cpus[i].allowed)
            cpulist_add(&t->allowed_cpus, t->cpus[i].id);
    }
}

static void topology_allowed_nodes(struct topology_reader *r, const char *status_text)
{
    struct topology *t = r->t;
    struct cpulist mask;
    // A kernel without cpusets writes no such line: every node may be used.
    bool told = topology_allowed_line(r, status_text, "Mems_allowed_list:", &mask) == 0 && t->numa;
    t->allowed_nodes = (struct cpulist){0};
    for (size_t i = 0; i < t->node_count; i++) {
        t->nodes[i].allowed = !told || cpulist_has(&mask, t->nodes[i].id);
        if (t->nodes[i].allowed)
            cpulist_add(&t->allowed_nodes, t->nodes[i].id);
    }
}

void topology_allowed_read(struct topology_reader *r)
{
    char *text = NULL;
    if (sysfile_whole(r->root, &text, "/proc/self/status") < 0)
        topology_note(r->t, "/proc/self/status cannot be read: which CPUs and nodes this process may use is %s",
                      *r->root == '\0' ? "known for CPUs only" : "not known, all are taken as allowed");
    topology_allowed_cpus(r, text ? text : "");
    topology_allowed_nodes(r, text ? text : "");
    free(text);
}

int topology_allow(struct topology *t, pid_t pid)
{
    struct topology_reader r = {.t = t, .root = "", .pid = pid};
    char *text;
    int status = sysfile_whole("", &text, "/proc/%d/status", pid);
    if (status < 0)
        return status;
    for (size_t i = 0; i < t->cpu_count; i++)
        if (t->cpus[i].online)
            cpulist_add(&r.online, t->cpus[i].id);
    topology_allowed_cpus(&r, text);
    topology_allowed_nodes(&r, text);
    free(text);
    return 0;
}
